from rest_framework import serializers

ID = {'min_value': 1, 'max_value': 2**63 - 1}
STATUSES = ['planned', 'staging', 'active', 'decommissioning', 'retired']
KINDS = ['info', 'success', 'warning', 'danger']
COMMENTS_LENGTH = 2000  # 20 entries of this length stay below the bridge's 256 KiB, however they are escaped


class Arguments(serializers.Serializer):
    """What a tool takes: the same as its inputSchema, so also nothing else."""

    def to_internal_value(self, data):
        values = super().to_internal_value(data)
        if unknown := sorted(set(data) - set(self.fields)):
            raise serializers.ValidationError({name: ['Unknown field.'] for name in unknown})
        return values


class SiteReportArguments(Arguments):
    status = serializers.MultipleChoiceField(choices=STATUSES, required=False)
    region = serializers.CharField(max_length=100, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=100, default=25)


class SiteExistsArguments(Arguments):
    slug = serializers.CharField(max_length=100)


class ListJournalEntriesArguments(Arguments):
    site_id = serializers.IntegerField(**ID)
    limit = serializers.IntegerField(min_value=1, max_value=20, default=10)


class AddJournalEntryArguments(Arguments):
    site_id = serializers.IntegerField(**ID)
    kind = serializers.ChoiceField(choices=KINDS, default='info')
    comments = serializers.CharField(max_length=COMMENTS_LENGTH)


class DeleteJournalEntryArguments(Arguments):
    id = serializers.IntegerField(**ID)


class SiteReportRow(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    slug = serializers.CharField()
    status = serializers.CharField()
    region = serializers.CharField(source='region.slug', default=None)
    last_updated = serializers.DateTimeField(allow_null=True)


class SiteReport(serializers.Serializer):
    count = serializers.IntegerField()
    sites = SiteReportRow(many=True)


class SiteJournalEntry(serializers.Serializer):
    id = serializers.IntegerField()
    site_id = serializers.IntegerField(source='assigned_object_id')
    kind = serializers.CharField()
    comments = serializers.SerializerMethodField()
    created = serializers.DateTimeField()

    def get_comments(self, entry) -> str:
        return entry.comments[:COMMENTS_LENGTH]


class SiteJournal(serializers.Serializer):
    count = serializers.IntegerField()
    entries = SiteJournalEntry(many=True)
