import json
from importlib.resources import files

from dcim.api.views import SiteViewSet
from dcim.models import Site
from django.contrib.contenttypes.models import ContentType
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from extras.api.views import JournalEntryViewSet
from netbox.api.authentication import IsAuthenticatedOrLoginNotRequired
from rest_framework.response import Response
from rest_framework.routers import APIRootView
from rest_framework.views import APIView

from . import serializers

MANIFEST = json.loads(files('netbox_mcp_example').joinpath('manifest.json').read_text(encoding='utf-8'))


class RootView(APIRootView):
    """The root of this plugin's API, which advertises the manifest."""

    def get_view_name(self):
        return 'MCP example'

    def get(self, request, *args, **kwargs):
        response = super().get(request, *args, **kwargs)
        response.data['mcp'] = {
            'schema_version': MANIFEST['schema_version'],
            # A path: it has NetBox's BASE_PATH, and no scheme that a TLS proxy could make wrong.
            'manifest': reverse('plugins-api:netbox_mcp_example-api:mcp'),
        }
        return response


@extend_schema(exclude=True)
class ManifestView(APIView):
    """The manifest, for everybody who may see NetBox's API: what somebody may do is for the tools' views to decide."""
    permission_classes = [IsAuthenticatedOrLoginNotRequired]

    def get(self, request):
        return Response(MANIFEST)


def validated(serializer_class, data):
    """The arguments, or a 400 that says what is wrong: the tools' schemas bind the bridge's callers, not others."""
    serializer = serializer_class(data=data)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


class SiteTools(SiteViewSet):
    """Tools on sites. NetBox's view asks for the permission to view sites, and restricts self.queryset by it."""

    @extend_schema(parameters=[serializers.SiteReportArguments], responses=serializers.SiteReport, filters=False)
    def report(self, request):
        values = validated(serializers.SiteReportArguments, request.query_params)
        sites = self.filter_queryset(self.queryset).select_related('region').order_by('name', 'pk')
        return Response(serializers.SiteReport({'count': sites.count(), 'sites': sites[:values['limit']]}).data)

    def exists(self, request):
        values = validated(serializers.SiteExistsArguments, request.query_params)
        get_object_or_404(self.queryset, slug=values['slug'])
        return Response()


class JournalTools(JournalEntryViewSet):
    """
    Tools on the journals of sites. NetBox's view asks for the permission that the method stands for (GET view, POST add,
    DELETE delete) and for a token that may write, and restricts self.queryset by it.
    """

    def sites(self):
        return Site.objects.restrict(self.request.user, 'view')

    def site_entries(self):
        return self.queryset.filter(
            assigned_object_type=ContentType.objects.get_for_model(Site), assigned_object_id__in=self.sites().values('pk'),
        )

    @extend_schema(parameters=[serializers.ListJournalEntriesArguments], responses=serializers.SiteJournal, filters=False)
    def entries(self, request):
        values = validated(serializers.ListJournalEntriesArguments, request.query_params)
        site = get_object_or_404(self.sites(), pk=values['site_id'])
        entries = self.site_entries().filter(assigned_object_id=site.pk).order_by('-created', '-pk')
        return Response(serializers.SiteJournal({'count': entries.count(), 'entries': entries[:values['limit']]}).data)

    @extend_schema(request=serializers.AddJournalEntryArguments, responses={201: serializers.SiteJournalEntry})
    def add(self, request):
        values = validated(serializers.AddJournalEntryArguments, request.data)
        site = get_object_or_404(self.sites(), pk=values['site_id'])
        serializer = self.get_serializer(data={
            'assigned_object_type': 'dcim.site', 'assigned_object_id': site.pk,
            'kind': values['kind'], 'comments': values['comments'],
        })
        serializer.is_valid(raise_exception=True)
        self.perform_create(serializer)  # NetBox's: custom validation, object permissions, change log
        return Response(serializers.SiteJournalEntry(serializer.instance).data, status=201)

    @extend_schema(request=serializers.DeleteJournalEntryArguments, responses={204: None})
    def remove(self, request):
        values = validated(serializers.DeleteJournalEntryArguments, request.data)
        self.perform_destroy(get_object_or_404(self.site_entries(), pk=values['id']))
        return Response(status=204)
