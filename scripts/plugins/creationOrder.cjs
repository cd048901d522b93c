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

/** References in `Fn::Sub`; `${!Literal}` is not one. */
const SUBSTITUTED = /\$\{([^!.}][^.}]*)/g;

/** Returns the names of all resources that a part of a template refers to. */
const referencesIn = (value) => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref") return [inner];
    if (key === "Fn::GetAtt") return [Array.isArray(inner) ? inner[0] : inner.split(".")[0]];
    if (key === "Fn::Sub") {
      const [text, values] = Array.isArray(inner) ? inner : [inner, {}];
      return [...[...text.matchAll(SUBSTITUTED)].map(([, name]) => name), ...referencesIn(values)];
    }
    return referencesIn(inner);
  });
};

/** Returns the length of the longest dependency chain below each resource. */
const depthsOf = (resources) => {
  const depths = new Map();
  const depthOf = (name) => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const { Properties, DependsOn = [] } = resources[name];
    const below = [...referencesIn(Properties), ...[DependsOn].flat()].filter((one) => one in resources);
    const depth = below.reduce((most, one) => Math.max(most, depthOf(one) + 1), 0);
    depths.set(name, depth);
    return depth;
  };
  for (const name of Object.keys(resources)) depthOf(name);
  return depths;
};

const dependOn = (resource, names) => {
  resource.DependsOn = [...new Set([resource.DependsOn ?? [], names].flat())];
};

/**
 * Adds `DependsOn` to the resources of a template, in place: each waits for the resource that is a fixed number of
 * places before it. The order is topological, so there is no cycle, and it depends only on the template, so the same
 * template gives the same result.
 */
const limitCreation = (resources) => {
  const depths = depthsOf(resources);
  const names = Object.keys(resources).toSorted(
    (one, other) => depths.get(one) - depths.get(other) || (one < other ? -1 : 1),
  );
  for (const [start, most] of Object.entries(MAX_IN_PROGRESS)) {
    const ofService = names.filter((name) => resources[name].Type.startsWith(start));
    const always = ofService.filter((name) => resources[name].Condition === undefined);
    for (const [at, name] of always.entries()) {
      if (at >= most) dependOn(resources[name], [always[at - most]]);
    }
    // A resource that depends on one whose condition is false is not created either, so conditional resources come
    // last: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-condition.html
    for (const name of ofService.filter((one) => resources[one].Condition !== undefined)) {
      dependOn(resources[name], always.slice(-most));
    }
  }
};

module.exports = class CreationOrder {
  constructor(serverless) {
    this.hooks = {
      // After all resources were added, before the template is written.
      "after:aws:package:finalize:mergeCustomProviderResources": () =>
        limitCreation(serverless.service.provider.compiledCloudFormationTemplate.Resources),
    };
  }
};
