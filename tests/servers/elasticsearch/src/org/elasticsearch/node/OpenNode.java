package org.elasticsearch.node;

import java.util.List;
import org.elasticsearch.env.Environment;
import org.elasticsearch.plugins.GivenPlugins;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.PluginsLoader;
import org.elasticsearch.plugins.PluginsService;

/** A node that takes its plugins as objects. It lies in this package because that seam is not public. */
public final class OpenNode extends Node {
    public OpenNode(Environment environment, List<Plugin> plugins) {
        super(NodeConstruction.prepareConstruction(environment, null, providing(plugins), true));
    }

    private static NodeServiceProvider providing(List<Plugin> plugins) {
        return new NodeServiceProvider() {
            @Override
            PluginsService newPluginService(Environment environment, PluginsLoader loader) {
                return new GivenPlugins(environment, plugins);
            }
        };
    }
}
