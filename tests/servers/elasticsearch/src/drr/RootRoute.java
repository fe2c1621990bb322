package drr;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.index.IndexVersion;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestRequest.Method;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;

/** `GET /`, which clients ask for the version: the module that answers it is not published as a package. */
public final class RootRoute extends Plugin implements ActionPlugin {
    @Override
    public Collection<RestHandler> getRestHandlers(
        RestHandlersServices services, Supplier<DiscoveryNodes> nodes, Predicate<NodeFeature> features
    ) {
        return List.of(new Greeting());
    }

    private static final class Greeting extends BaseRestHandler {
        @Override
        public String getName() {
            return "drr_greeting";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(Method.GET, "/"), new Route(Method.HEAD, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> {
                Build build = Build.current();
                var answer = channel.newBuilder().startObject();
                answer.field("name", "drr-test").field("cluster_name", "drr-test").field("cluster_uuid", "_na_");
                answer.startObject("version");
                answer.field("number", build.qualifiedVersion());
                answer.field("build_flavor", build.flavor());
                answer.field("build_hash", build.hash());
                answer.field("build_snapshot", build.isSnapshot());
                answer.field("lucene_version", IndexVersion.current().luceneVersion().toString());
                answer.endObject();
                answer.field("tagline", "You Know, for Search").endObject();
                channel.sendResponse(new RestResponse(RestStatus.OK, answer));
            };
        }
    }
}
