/**
 * Serverless plugin: limits how many resources of a service CloudFormation creates, updates or deletes concurrently,
 * so that a stack of some ninety functions and as many routes stays below the rate limits of the control planes
 * (docs/decisions/0038-first-deploy.md).
 */

/**
 * The maximum number of resources in progress, by prefix of their type. One resource takes several requests and at
 * least a second.
 *
 * API Gateway allows 10 requests per second and account, with a burst of 40:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 * Lambda allows 15 per second for its control plane:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests
 */
const MAX_IN_PROGRESS = { "AWS::ApiGatewayV2::": 5, "AWS::Lambda::": 8 };

/** Returns the length of the longest dependency chain below each resource. @throws Error for an unknown name */
const depthsOf = (template, dependenciesOf) => {
  const depths = new Map();
  const depthOf = (name) => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const depth = dependenciesOf(template, name).reduce((most, one) => Math.max(most, depthOf(one) + 1), 0);
    depths.set(name, depth);
    return depth;
  };
  for (const name of Object.keys(template.Resources)) depthOf(name);
  return depths;
};

/** Removes what the properties of a resource refer to anyway from its `DependsOn`, and adds another resource. */
const dependOn = (resource, referred, more = []) => {
  const DependsOn = [resource.DependsOn ?? [], more].flat().filter((one) => !referred.has(one));
  if (DependsOn.length > 0) resource.DependsOn = [...new Set(DependsOn)];
  else delete resource.DependsOn;
};

/**
 * Adds `DependsOn` to the resources of a template, in place: each waits for the resource that is a fixed number of
 * places before it. The order is topological, so there is no cycle, and it depends only on the template, so the same
 * template gives the same result.
 * @throws Error naming a reference that leads nowhere
 */
const limitCreation = (template, { dependenciesOf, referencesIn }) => {
  const { Resources } = template;
  const depths = depthsOf(template, dependenciesOf);
  const names = Object.keys(Resources).toSorted(
    (one, other) => depths.get(one) - depths.get(other) || (one < other ? -1 : 1),
  );
  const limitOf = ({ Type }) => Object.keys(MAX_IN_PROGRESS).find((start) => Type.startsWith(start));
  const lists = Map.groupBy(names, (name) => limitOf(Resources[name]));
  for (const [start, list] of lists) {
    for (const [at, name] of list.entries()) {
      const { Properties } = Resources[name];
      const before = start === undefined ? undefined : list[at - MAX_IN_PROGRESS[start]];
      const referred = new Set(referencesIn(Properties).map((one) => one.name));
      dependOn(Resources[name], referred, before);
    }
  }
};

module.exports = class CreationOrder {
  static limitCreation = limitCreation;

  constructor(serverless) {
    this.hooks = {
      // After all resources were added, before the template is written.
      "after:aws:package:finalize:mergeCustomProviderResources": async () => {
        const references = await import("../deploy/references.ts");
        limitCreation(serverless.service.provider.compiledCloudFormationTemplate, references);
      },
    };
  }
};
