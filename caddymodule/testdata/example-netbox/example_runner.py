"""Runs tests on the database that there is, in transactions that are rolled back: making a test database takes minutes."""
from django.test.runner import DiscoverRunner


class Runner(DiscoverRunner):

    def setup_databases(self, **kwargs):
        return []

    def teardown_databases(self, old_config, **kwargs):
        pass
