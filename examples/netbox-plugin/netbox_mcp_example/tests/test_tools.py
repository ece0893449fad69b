"""The contract of the tools: who may call them, what they take, what they answer."""
from dcim.models import Region, Site
from django.contrib.contenttypes.models import ContentType
from extras.models import JournalEntry
from jsonschema import Draft202012Validator
from users.models import ObjectPermission
from utilities.testing import APITestCase

from ..api.views import MANIFEST

ROOT = '/api/plugins/mcp-example/'
TOOLS = {tool['name']: tool for tool in MANIFEST['tools']}


class ToolTestCase(APITestCase):

    @classmethod
    def setUpTestData(cls):
        cls.region = Region.objects.create(name='MCP example', slug='mcp-example')
        cls.near = Site.objects.create(name='MCP example near', slug='mcp-example-near', region=cls.region)
        cls.far = Site.objects.create(name='MCP example far', slug='mcp-example-far', region=cls.region, status='retired')
        cls.entry = cls.record(cls.near, 'First')

    @staticmethod
    def record(site, comments):
        return JournalEntry.objects.create(assigned_object=site, comments=comments)

    def call(self, name, arguments=None):
        """Sends arguments as the bridge does, and checks a success by the output schema, as it does."""
        tool = TOOLS[name]
        send = getattr(self.client, tool['method'].lower())
        if tool['method'] in ('GET', 'HEAD'):
            response = send(ROOT + tool['path'], arguments or {}, **self.header)
        else:
            response = send(ROOT + tool['path'], arguments or {}, format='json', **self.header)
        if response.status_code < 300 and 'outputSchema' in tool:
            self.assertEqual([e.message for e in Draft202012Validator(tool['outputSchema']).iter_errors(response.json())], [])
        return response

    def permit(self, permission, constraints):
        """Gives a permission with constraints, as an administrator may."""
        app, codename = permission.split('.')
        action, model = codename.split('_')
        granted = ObjectPermission.objects.create(name=permission, actions=[action], constraints=constraints)
        granted.users.add(self.user)
        granted.object_types.add(ContentType.objects.get(app_label=app, model=model).pk)

    def entries(self):
        return JournalEntry.objects.filter(assigned_object_id=self.near.pk)


class SiteReportTest(ToolTestCase):

    def names(self, **arguments):
        response = self.call('site_report', {'region': 'mcp-example', **arguments})
        self.assertEqual(response.status_code, 200, response.data)
        return response.data['count'], [site['name'] for site in response.data['sites']]

    def test_permission(self):
        self.assertEqual(self.call('site_report').status_code, 403)

    def test_object_permission(self):
        self.permit('dcim.view_site', {'slug': 'mcp-example-far'})
        self.assertEqual(self.names(), (1, ['MCP example far']))

    def test_arguments(self):
        self.add_permissions('dcim.view_site')
        self.assertEqual(self.names(), (2, ['MCP example far', 'MCP example near']))
        self.assertEqual(self.names(limit=1), (2, ['MCP example far']))
        self.assertEqual(self.names(status=['active', 'planned']), (1, ['MCP example near']))

    def test_wrong_arguments(self):
        self.add_permissions('dcim.view_site')
        for arguments in ({'status': 'asleep'}, {'region': ''}, {'limit': 0}, {'limit': 101}, {'limt': 5}):
            response = self.call('site_report', arguments)
            self.assertEqual((response.status_code, list(response.data)), (400, list(arguments)))


class SiteExistsTest(ToolTestCase):

    def test_permission(self):
        self.assertEqual(self.call('site_exists', {'slug': 'mcp-example-near'}).status_code, 403)

    def test_status(self):
        self.permit('dcim.view_site', {'slug': 'mcp-example-near'})
        for slug, status in (('mcp-example-near', 200), ('mcp-example-far', 404), ('mcp-example-none', 404)):
            self.assertEqual(self.call('site_exists', {'slug': slug}).status_code, status, slug)


class ListJournalEntriesTest(ToolTestCase):

    def test_permission(self):
        self.add_permissions('dcim.view_site')
        self.assertEqual(self.call('list_journal_entries', {'site_id': self.near.pk}).status_code, 403)

    def test_site_permission(self):
        self.add_permissions('extras.view_journalentry')
        self.assertEqual(self.call('list_journal_entries', {'site_id': self.near.pk}).status_code, 404)

    def test_entries(self):
        self.add_permissions('dcim.view_site', 'extras.view_journalentry')
        self.record(self.near, 'x' * 3000)
        response = self.call('list_journal_entries', {'site_id': self.near.pk})
        self.assertEqual([entry['comments'] for entry in response.data['entries']], ['x' * 2000, 'First'])


class AddJournalEntryTest(ToolTestCase):

    def add(self, **arguments):
        return self.call('add_journal_entry', {'site_id': self.near.pk, 'comments': 'Second', **arguments})

    def test_permission(self):
        self.add_permissions('dcim.view_site', 'extras.view_journalentry')
        self.assertEqual(self.add().status_code, 403)
        self.assertEqual(self.entries().count(), 1)

    def test_site_permission(self):
        self.permit('dcim.view_site', {'slug': 'mcp-example-far'})
        self.add_permissions('extras.add_journalentry')
        self.assertEqual(self.add().status_code, 404)
        self.assertEqual(self.entries().count(), 1)

    def test_object_permission(self):
        self.add_permissions('dcim.view_site')
        self.permit('extras.add_journalentry', {'kind': 'info'})
        self.assertEqual(self.add(kind='danger').status_code, 403)
        self.assertEqual(self.add(kind='info').status_code, 201)
        self.assertEqual(self.entries().count(), 2)

    def test_token_that_may_not_write(self):
        self.add_permissions('dcim.view_site', 'extras.add_journalentry')
        self.token.write_enabled = False
        self.token.save()
        self.assertEqual(self.add().status_code, 403)

    def test_entry(self):
        self.add_permissions('dcim.view_site', 'extras.add_journalentry')
        response = self.add(kind='success')
        self.assertEqual(response.status_code, 201, response.data)
        entry = JournalEntry.objects.get(pk=response.data['id'])
        self.assertEqual(
            (entry.assigned_object, entry.kind, entry.comments, entry.created_by), (self.near, 'success', 'Second', self.user),
        )

    def test_wrong_arguments(self):
        self.add_permissions('dcim.view_site', 'extras.add_journalentry')
        for name, value in (
            ('site_id', 0), ('site_id', 2**63), ('site_id', True), ('site_id', 7.5), ('kind', 'joke'), ('comments', ''),
            ('comments', 'x' * 2001), ('created_by', 1),
        ):
            response = self.add(**{name: value})
            self.assertEqual((response.status_code, list(response.data)), (400, [name]), value)
        self.assertEqual(self.entries().count(), 1)


class DeleteJournalEntryTest(ToolTestCase):

    def delete(self):
        return self.call('delete_journal_entry', {'id': self.entry.pk})

    def test_permission(self):
        self.add_permissions('dcim.view_site', 'extras.view_journalentry', 'extras.add_journalentry')
        self.assertEqual(self.delete().status_code, 403)

    def test_object_permission(self):
        self.add_permissions('dcim.view_site')
        self.permit('extras.delete_journalentry', {'kind': 'danger'})
        self.assertEqual(self.delete().status_code, 404)
        self.assertEqual(self.entries().count(), 1)

    def test_only_journals_of_sites(self):
        self.add_permissions('dcim.view_site', 'extras.delete_journalentry')
        entry = self.record(self.region, 'Of a region')
        self.assertEqual(self.call('delete_journal_entry', {'id': entry.pk}).status_code, 404)

    def test_deleted(self):
        self.add_permissions('dcim.view_site', 'extras.delete_journalentry')
        response = self.delete()
        self.assertEqual((response.status_code, response.content), (204, b''))
        self.assertEqual(self.entries().count(), 0)
