"""The contract of the manifest: with the bridge, with the serializers, and with NetBox."""
import ast
import json
from pathlib import Path

from django.apps import apps
from django.test import SimpleTestCase
from jsonschema import Draft202012Validator
from netbox.api.authentication import TokenPermissions
from rest_framework import serializers as drf
from rest_framework.settings import api_settings
from utilities.testing import APITestCase

from ..api import serializers, urls
from ..api.views import MANIFEST

PLUGIN = Path(__file__).parent.parent
ROOT = '/api/plugins/mcp-example/'
ARGUMENTS = {
    'site_report': serializers.SiteReportArguments,
    'site_exists': serializers.SiteExistsArguments,
    'list_journal_entries': serializers.ListJournalEntriesArguments,
    'add_journal_entry': serializers.AddJournalEntryArguments,
    'delete_journal_entry': serializers.DeleteJournalEntryArguments,
}


def schema_of(field):
    """The JSON Schema that a serializer's field amounts to."""
    if isinstance(field, drf.MultipleChoiceField):
        return {'type': 'array', 'items': {'type': 'string', 'enum': list(field.choices)}, 'uniqueItems': True}
    if isinstance(field, drf.ChoiceField):
        schema = {'type': 'string', 'enum': list(field.choices)}
    elif isinstance(field, drf.IntegerField):
        schema = {'type': 'integer', 'minimum': field.min_value, 'maximum': field.max_value}
    elif isinstance(field, drf.CharField):
        schema = {'type': 'string', 'minLength': 1, 'maxLength': field.max_length}
    if field.default is not drf.empty:
        schema['default'] = field.default
    return schema


class ManifestTest(SimpleTestCase):

    def test_published_schema(self):
        # caddy netbox-mcp manifest --schema >bridge-v1.schema.json
        schema = json.loads((PLUGIN / 'tests' / 'bridge-v1.schema.json').read_text(encoding='utf-8'))
        errors = [f'{error.json_path}: {error.message}' for error in Draft202012Validator(schema).iter_errors(MANIFEST)]
        self.assertEqual(errors, [])

    def test_what_no_schema_says(self):
        names = [tool['name'] for tool in MANIFEST['tools']]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(MANIFEST['plugin'], apps.get_app_config('netbox_mcp_example').base_url)

    def test_input_schemas_agree_with_serializers(self):
        self.assertEqual(sorted(ARGUMENTS), sorted(tool['name'] for tool in MANIFEST['tools']))
        for tool in MANIFEST['tools']:
            with self.subTest(tool['name']):
                fields = ARGUMENTS[tool['name']]().fields
                properties = {
                    name: {keyword: value for keyword, value in schema.items() if keyword != 'description'}
                    for name, schema in tool['inputSchema']['properties'].items()
                }
                self.assertEqual(properties, {name: schema_of(field) for name, field in fields.items()})
                required = [name for name, field in fields.items() if field.required]
                self.assertEqual(tool['inputSchema'].get('required', []), required)

    def test_paths_and_methods_are_served(self):
        served = {
            (method.upper(), str(url.pattern))
            for url in urls.urlpatterns for method in getattr(url.callback, 'actions', {})
        }
        for tool in MANIFEST['tools']:
            self.assertIn((tool['method'], tool['path']), served, tool['name'])

    def test_no_authentication_of_its_own(self):
        tools = {tool['path'] for tool in MANIFEST['tools']}
        for url in urls.urlpatterns:
            view = url.callback.cls
            self.assertEqual(view.authentication_classes, api_settings.DEFAULT_AUTHENTICATION_CLASSES, view)
            if str(url.pattern) in tools:
                self.assertIn(TokenPermissions, view.permission_classes, view)

    def test_no_mcp_stack_and_no_client(self):
        allowed = {
            'dcim', 'django', 'drf_spectacular', 'extras', 'importlib', 'json', 'netbox', 'rest_framework',
        }
        for path in [*PLUGIN.glob('*.py'), *PLUGIN.glob('api/*.py')]:
            for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
                modules = []
                if isinstance(node, ast.Import):
                    modules = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    modules = [node.module]
                for module in modules:
                    self.assertIn(module.split('.')[0], allowed, path.name)


class DiscoveryTest(APITestCase):

    def test_advertisement(self):
        response = self.client.get(ROOT, **self.header)
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.json()['mcp'], {'schema_version': '1', 'manifest': f'{ROOT}mcp/'})

    def test_plugin_is_listed(self):
        roots = self.client.get('/api/plugins/', **self.header).json()
        self.assertTrue(roots['mcp-example'].endswith(ROOT), roots)

    def test_manifest(self):
        response = self.client.get(f'{ROOT}mcp/', **self.header)
        self.assertEqual(response.status_code, 200)
        self.assertEqual(response.json(), json.loads((PLUGIN / 'manifest.json').read_text(encoding='utf-8')))

    def test_manifest_is_read_only(self):
        for method in (self.client.post, self.client.put, self.client.patch, self.client.delete):
            self.assertEqual(method(f'{ROOT}mcp/', **self.header).status_code, 405)

    def test_manifest_is_not_public(self):
        self.assertEqual(self.client.get(f'{ROOT}mcp/').status_code, 403)
