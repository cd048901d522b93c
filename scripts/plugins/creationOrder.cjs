/**
 * Serverless plugin: limits how many resources of a service CloudFormation creates, updates or deletes at once, so that
 * a stack of 49 functions and 46 routes does not meet the rate limits of the services' control planes. Why it is needed
 * stands in docs/decisions/0038-first-deploy.md.
 */

/**
 * How many resources of a service may be in work at once, by the beginning of their types.
 *
 * API Gateway takes 10 requests a second of an account, with a burst of 40:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 * Lambda takes 15 a second for all of its control plane:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests
 * One resource takes several requests and at least a second.
 */
const MOST_AT_ONCE = { "AWS::ApiGatewayV2::": 5, "AWS::Lambda::": 8 };

/** The names in `Fn::Sub`; `${!Literal}` is none. */
const SUBSTITUTED = /\$\{([^!.}][^.}]*)/g;

/** The names of everything that a part of a template refers to. */
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

/** The length of the longest chain of dependencies below each resource, by the resource's name. */
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
 * Adds `DependsOn` to the resources of a template, in place: each waits for the one that stands so many places before it
 * in one order of the whole template. Nothing in that order depends on what comes later, so there is no cycle; and the
 * order follows from the template alone, so two deploys of the same template ask for the same.
 */
const limitCreation = (resources) => {
  const depths = depthsOf(resources);
  const names = Object.keys(resources).toSorted(
    (one, other) => depths.get(one) - depths.get(other) || (one < other ? -1 : 1),
  );
  for (const [start, most] of Object.entries(MOST_AT_ONCE)) {
    const ofService = names.filter((name) => resources[name].Type.startsWith(start));
    const always = ofService.filter((name) => resources[name].Condition === undefined);
    for (const [at, name] of always.entries()) {
      if (at >= most) dependOn(resources[name], [always[at - most]]);
    }
    // What depends on a resource whose condition is false is not created either, so these come last:
    // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-condition.html
    for (const name of ofService.filter((one) => resources[one].Condition !== undefined)) {
      dependOn(resources[name], always.slice(-most));
    }
  }
};

module.exports = class CreationOrder {
  constructor(serverless) {
    this.hooks = {
      // When all resources are in the template, before it is written.
      "after:aws:package:finalize:mergeCustomProviderResources": () =>
        limitCreation(serverless.service.provider.compiledCloudFormationTemplate.Resources),
    };
  }
};
