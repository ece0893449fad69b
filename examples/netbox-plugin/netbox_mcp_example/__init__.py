from netbox.plugins import PluginConfig


class ExampleConfig(PluginConfig):
    name = 'netbox_mcp_example'
    verbose_name = 'MCP example'
    description = 'Publishes tools on sites and their journals for agents'
    version = '1.0.0'
    base_url = 'mcp-example'  # the plugin's name on the bridge: it stands in its API's path
    min_version = '4.3.0'
    max_version = '4.7.99'


config = ExampleConfig
