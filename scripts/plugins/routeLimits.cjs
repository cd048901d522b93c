/**
 * Serverless plugin: gives the routes of some functions rate limits of their own, so that a flood of one does not stop
 * the others (docs/decisions/0082-floods.md).
 */

const LIMIT_SHARE = { type: "number", exclusiveMinimum: 0, maximum: 1 };

/** HEAD has a route of its own, which link checkers and uptime monitors use. */
const HEAD_SHARE = 0.05;

/** Adds the limits to the stage of the API, which must wait for the routes: API Gateway rejects unknown ones. */
const limitRoutes = ({ Resources }, sharesByFunction, { requestsPerSecond, requestsBurst }) => {
  const { HttpApiStage } = Resources;
  const limited = Object.entries(Resources).flatMap(([route, { Type, Properties }]) => {
    if (Type !== "AWS::ApiGatewayV2::Route") return [];
    // The framework writes the target as `integrations/` and the integration, which names the function.
    const integration = Properties.Target["Fn::Join"][1].find((part) => part.Ref !== undefined).Ref;
    const own = sharesByFunction.get(Resources[integration].Properties.IntegrationUri["Fn::GetAtt"][0]);
    const share = Properties.RouteKey.startsWith("HEAD ") ? HEAD_SHARE : own;
    return share === undefined ? [] : [{ route, key: Properties.RouteKey, share }];
  });
  const of = (limit, share) => Math.max(1, Math.round(limit * share));
  HttpApiStage.Properties.RouteSettings = Object.fromEntries(
    limited.map(({ key, share }) => [
      key,
      {
        DetailedMetricsEnabled: false,
        ThrottlingRateLimit: of(requestsPerSecond, share),
        ThrottlingBurstLimit: of(requestsBurst, share),
      },
    ]),
  );
  HttpApiStage.DependsOn = [HttpApiStage.DependsOn ?? [], limited.map(({ route }) => route)].flat();
};

module.exports = class RouteLimits {
  constructor(serverless) {
    // The share of REQUESTS_PER_SECOND and REQUESTS_BURST that each route of the function has for itself.
    serverless.configSchemaHandler.defineFunctionProperties("aws", {
      properties: { limitShare: LIMIT_SHARE },
    });
    this.hooks = {
      // After all resources were added, before the order of creation is decided.
      "after:aws:package:finalize:mergeCustomProviderResources": () => {
        const { service } = serverless;
        const { naming } = serverless.getProvider("aws");
        const shares = service.getAllFunctions().flatMap((name) => {
          const { limitShare } = service.getFunction(name);
          return limitShare === undefined ? [] : [[naming.getLambdaLogicalId(name), limitShare]];
        });
        limitRoutes(
          service.provider.compiledCloudFormationTemplate,
          new Map(shares),
          service.custom.settings,
        );
      },
    };
  }
};
