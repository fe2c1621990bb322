package drr;

import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;
import org.h2.mvstore.MVStore;

/**
 * A server that speaks MongoDB's protocol, on the loopback interface, without security: for tests. It is not MongoDB.
 * Arguments: port (0 for any) and a file for the data; without one they live in memory.
 */
public final class Launcher {
    private static final int COMMIT_EVERY_MS = 20;

    private Launcher() {}

    public static void main(String[] arguments) throws InterruptedException {
        Starter.watch();
        MongoBackend backend = arguments.length > 1 ? new H2Backend(file(arguments[1])) : new MemoryBackend();
        backend.version(new Declared());
        MongoServer server = new MongoServer(backend);
        server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
        System.out.println("READY mongodb://127.0.0.1:" + server.getLocalAddress().getPort());
        Thread.currentThread().join();
    }

    private static MVStore file(String name) {
        MVStore store = new MVStore.Builder().fileName(name).open();
        store.setAutoCommitDelay(COMMIT_EVERY_MS);
        return store;
    }

    /** What is declared, not what is implemented: today's client refuses a lower wire version. */
    private static final class Declared implements MongoVersion {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(4, 4, 0);
        }

        @Override
        public int getWireVersion() {
            return 9;
        }
    }
}
