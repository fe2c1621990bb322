package drr;

import java.io.IOException;

/**
 * Whoever started this server holds the other end of its standard input. When that process is gone, however it went, the
 * server goes too, unless it was told before, by one byte, to stay.
 */
final class Starter {
    private static final long LONGEST_STOP_MS = 10_000;

    private Starter() {}

    static void watch() {
        Thread thread = new Thread(Starter::outlive, "starter");
        thread.setDaemon(true);
        thread.start();
    }

    private static void outlive() {
        try {
            if (System.in.read() >= 0) {
                return;
            }
        } catch (IOException gone) {
            // As if it had ended.
        }
        Thread impatient = new Thread(() -> {
            try {
                Thread.sleep(LONGEST_STOP_MS);
            } catch (InterruptedException again) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(1);
        });
        impatient.setDaemon(true);
        impatient.start();
        System.exit(0);
    }
}
