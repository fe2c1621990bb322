package org.elasticsearch.plugins;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.Build;
import org.elasticsearch.action.admin.cluster.node.info.PluginsAndModules;
import org.elasticsearch.env.Environment;

/** Plugins that were constructed by the caller, where the server would scan its modules and plugins folders. */
public final class GivenPlugins extends PluginsService {
    private List<LoadedPlugin> given;

    public GivenPlugins(Environment environment, List<Plugin> plugins) {
        super(
            environment.settings(),
            environment.configDir(),
            PluginsLoader.createPluginsLoader(Set.of(), Set.of(), Map.of(), false)
        );
        given = new ArrayList<>();
        for (Plugin plugin : plugins) {
            given.add(new LoadedPlugin(describe(plugin.getClass()), plugin, plugin.getClass().getClassLoader()));
        }
    }

    private static PluginDescriptor describe(Class<?> type) {
        String java = Integer.toString(Runtime.version().feature());
        return new PluginDescriptor(
            type.getSimpleName(), "given", "1", Build.current().version(), java, type.getName(), null, List.of(),
            false, false, false, false, PluginDescriptor.DeploymentTarget.ALL
        );
    }

    @Override
    protected List<LoadedPlugin> plugins() {
        // The superclass asks while it is constructed, before anything was given.
        return given == null ? List.of() : given;
    }

    @Override
    public PluginsAndModules info() {
        return new PluginsAndModules(List.of(), plugins().stream().map(LoadedPlugin::descriptor).toList());
    }
}
