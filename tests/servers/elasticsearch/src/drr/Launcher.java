package drr;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.OpenNode;
import org.elasticsearch.transport.netty4.Netty4Plugin;

/**
 * A single Elasticsearch node on the loopback interface, without security: for tests.
 * Arguments: port (0 for any) and the folder it may fill. Says READY and its address when it answers.
 */
public final class Launcher {
    private Launcher() {}

    public static void main(String[] arguments) throws Exception {
        Starter.watch();
        Path home = Path.of(arguments[1]).toAbsolutePath();
        Path config = Files.createDirectories(home.resolve("config"));
        Settings.Builder settings = Settings.builder();
        Map.of(
            "path.home", home.toString(),
            "path.data", home.resolve("data").toString(),
            "path.logs", home.resolve("logs").toString(),
            "cluster.name", "drr-test",
            "node.name", "drr-test",
            "discovery.type", "single-node",
            "network.host", "127.0.0.1",
            "http.port", arguments[0],
            "transport.port", "0",
            // A test machine's disk is often fuller than a server's should be.
            "cluster.routing.allocation.disk.threshold_enabled", "false"
        ).forEach(settings::put);
        settings.put("http.type", "netty4").put("transport.type", "netty4");

        LogConfigurator.configureESLogging();
        var environment = InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), config, () -> "drr-test");
        var node = new OpenNode(environment, List.of(new Netty4Plugin(), new RootRoute()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node)));
        node.start();
        int port = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
        System.out.println("READY http://127.0.0.1:" + port);
        Thread.currentThread().join();
    }

    private static void stop(OpenNode node) {
        try {
            node.close();
            node.awaitClose(10, TimeUnit.SECONDS);
        } catch (Exception problem) {
            problem.printStackTrace();
        }
    }
}
