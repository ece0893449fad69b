"""The configuration of the NetBox beside which this one is started, with the example plugin and below a path prefix."""
import importlib
import os
import runpy
import sys


def base_configuration():
    if name := os.environ.get('EXAMPLE_BASE_CONFIGURATION'):
        return vars(importlib.import_module(name))
    path = os.path.join(os.environ.get('NETBOX_ROOT', '/opt/netbox'), 'conf', 'configuration.py')
    if os.path.exists(path):  # of a NetBox that pip installed
        sys.path.insert(0, os.path.dirname(path))
        return runpy.run_path(path)
    return vars(importlib.import_module('netbox.configuration'))


globals().update({name: value for name, value in base_configuration().items() if name.isupper()})
PLUGINS = [*globals().get('PLUGINS', []), 'netbox_mcp_example']
BASE_PATH = os.environ.get('EXAMPLE_BASE_PATH', globals().get('BASE_PATH', ''))
