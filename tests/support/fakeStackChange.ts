/** How the fake CloudFormation creates, changes, rolls back and deletes the resources of a stack. */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../scripts/cli/userError.ts";
import { nestedFaults, referenceFaults } from "../../scripts/deploy/references.ts";
import type { Template } from "../../scripts/deploy/template.ts";
import type { Input } from "./fakeAws.ts";
import type { ChangeOptions } from "./fakeCloudFormation.ts";
import { KINDS, type Live, refusalOf, replacementOf } from "./fakeResources.ts";
import type { Deployment } from "./fakeStack.ts";
import { creationOrder, missingCapability, resolved, type Scope } from "./fakeTemplate.ts";

/** What exists of a stack. */
export interface StackState {
  resources: Map<string, Live>;
  /** The names of its exports. */
  exports: ReadonlySet<string>;
}

interface Parts {
  deployment: Deployment;
  changing: ChangeOptions;
  states: Map<string, StackState>;
  templateAt: (url: string) => Template;
  addEvent: (stack: string, event: Record<string, string>) => void;
  setStatus: (stack: string, status: string, reason?: string) => void;
}

const NESTED = "AWS::CloudFormation::Stack";
const [TABLE, BUCKET] = ["AWS::DynamoDB::Table", "AWS::S3::Bucket"];

/** A failed resource. The events of a nested stack are in that stack. */
interface Failure {
  logical: string;
  type: string;
  id: string;
  reason: string;
  isNew: boolean;
}

/** A change of one stack while it runs. */
interface Change {
  name: string;
  template: Template;
  capabilities: readonly string[];
  parameters: Record<string, unknown>;
}

export const makeChanger = ({ deployment, changing, states, templateAt, addEvent, setStatus }: Parts) => {
  const { stacks, buckets, tables } = deployment;

  const roles = (): Map<string, Input> =>
    new Map(
      [...states.values()].flatMap(({ resources }) =>
        [...resources.values()].flatMap(({ type, id, properties }) =>
          type === "AWS::IAM::Role" ? [[KINDS[type]?.attributes?.(id).Arn ?? "", properties] as const] : [],
        ),
      ),
    );

  /** Whether another resource has this name already, in any stack or outside. */
  const isTaken = (type: string, id: string): boolean =>
    (type === TABLE && tables.has(id)) ||
    (type === BUCKET && buckets.hasBucket(id)) ||
    [...states.values()].some(({ resources }) =>
      [...resources.values()].some((one) => one.type === type && one.id === id),
    );

  const begin = ({ type, id }: Live): void => {
    if (type === TABLE) tables.set(id, []);
    if (type === BUCKET) buckets.createBucket(id);
  };
  /** Deletes a resource. @returns why that is refused; `null` if it is gone */
  const end = ({ type, id, properties }: Live): string | null => {
    if (type === TABLE) {
      if (properties.DeletionProtectionEnabled === true)
        return `Resource ${id} cannot be deleted while DeletionProtectionEnabled is set to True`;
      tables.delete(id);
    }
    if (type === BUCKET && buckets.hasBucket(id)) {
      try {
        buckets.deleteBucket(id);
      } catch (error) {
        return `${error instanceof Error ? error.message : error} (Service: S3, Status Code: 409, Error Code: BucketNotEmpty)`;
      }
    }
    if (type === NESTED) states.delete(id);
    return null;
  };
  const isRetained = (template: Template | undefined, logical: string, policy: string): boolean =>
    template?.Resources[logical]?.[policy] === "Retain";

  const stateOf = (name: string): StackState => {
    const known = states.get(name);
    if (known !== undefined) return known;
    // A stack that a test has set up.
    const { resources = {}, template } = stacks.get(name) ?? {};
    const found = Object.entries(resources).map(([logical, [type, id]]): [string, Live] => [
      logical,
      { type, id, properties: template?.Resources[logical]?.Properties ?? {} },
    ]);
    return { resources: new Map(found), exports: new Set() };
  };

  /** Applies a template. @returns what exists then, the new resources, and the failures */
  const apply = async ({ name, template, capabilities, parameters }: Change, before: StackState) => {
    const resources = new Map(before.resources);
    const made: [string, Live][] = [];
    const failures: Failure[] = [];
    /** The nested stacks that were begun. */
    const begun = new Set<string>();
    const outputs = new Map<string, Record<string, unknown>>();
    const scope: Scope = {
      template,
      refer: (one) => (one in parameters ? parameters[one] : resources.get(one)?.id),
      attributeOf: (one, attribute) => {
        const found = resources.get(one);
        const nested = outputs.get(one)?.[attribute.replace(/^Outputs\./, "")];
        return (
          nested ?? (found === undefined ? undefined : KINDS[found.type]?.attributes?.(found.id)[attribute])
        );
      },
    };
    const holds = (condition: string | undefined): boolean =>
      condition === undefined || resolved({ Condition: condition }, scope) === true;

    const changeNested = async (id: string, logical: string, properties: Input): Promise<string | null> => {
      const nested = templateAt(properties.TemplateURL);
      const [fault] = [...referenceFaults(nested), ...nestedFaults(template, logical, nested)];
      if (fault !== undefined) return `Template format error: ${fault}`;
      const missing = missingCapability(nested, capabilities);
      if (missing !== null) return `Requires capabilities : [${missing}]`;
      const inner = { name: id, template: nested, capabilities, parameters: properties.Parameters ?? {} };
      begun.add(logical);
      const result = await apply(inner, states.get(id) ?? { resources: new Map(), exports: new Set() });
      for (const failure of result.failures) report(id, failure);
      if (result.failures.length > 0) return `Embedded stack ${id} was not successfully created`;
      // What is not in the template any more is deleted with the rest at the end; roles hold no data.
      for (const one of result.resources.keys()) if (!(one in nested.Resources)) result.resources.delete(one);
      states.set(id, { resources: result.resources, exports: new Set() });
      outputs.set(logical, result.outputs);
      return null;
    };

    const changeOne = async (logical: string, waitsFor: ReadonlySet<string>): Promise<string | null> => {
      const { Type: type, Properties = {} } = template.Resources[logical] ?? { Type: "" };
      const properties: Input = resolved(Properties, scope);
      const old = before.resources.get(logical);
      const replacing = old?.type === type ? replacementOf(type, old.properties, properties) : null;
      if (replacing !== null && replacing !== "replace") return replacing;
      const isNew = old?.type !== type || replacing !== null;
      const given = properties[KINDS[type]?.name ?? ""];
      const id = isNew
        ? String(
            given ??
              (type === BUCKET ? `${name}-bucket` : `${name}-${logical}${old === undefined ? "" : "-2"}`),
          )
        : old.id;
      if (isNew && isTaken(type, id)) return `${id} already exists`;
      const sure = [...resources].filter(([one]) => before.resources.has(one) || waitsFor.has(one));
      const reason =
        changing.failing.get(logical) ??
        (type === NESTED ? await changeNested(id, logical, properties).catch(messageOf) : null) ??
        (!isNew && isDeepStrictEqual(old.properties, properties)
          ? null
          : await refusalOf(type, properties, {
              ...{ buckets, roles: roles(), certain: sure.map(([, live]) => live) },
              before: isNew ? undefined : old.properties,
            }));
      if (reason !== null) return reason;
      const live = { type, id, properties };
      if (isNew) {
        begin(live);
        made.push([logical, live]);
      }
      resources.set(logical, live);
      return null;
    };

    const failed = new Set<string>();
    for (const [logical, waitsFor] of creationOrder(template)) {
      const { Type: type = "", Condition } = template.Resources[logical] ?? {};
      if (!holds(Condition)) {
        resources.delete(logical);
        continue;
      }
      // Resources in progress at the same time fail on their own; those that wait are cancelled.
      const isCancelled = [...waitsFor].some((one) => failed.has(one));
      const reason = isCancelled ? "Resource creation cancelled" : await changeOne(logical, waitsFor);
      if (reason === null) continue;
      failed.add(logical);
      // A nested stack that was never created has no events.
      const id = before.resources.get(logical)?.id ?? (begun.has(logical) ? `${name}-${logical}` : "");
      failures.push({ logical, type, id, reason, isNew: !before.resources.has(logical) });
    }
    const shown = Object.entries(template.Outputs ?? {}).filter(([, { Condition }]) => holds(Condition));
    const values =
      failures.length > 0
        ? {}
        : Object.fromEntries(shown.map(([key, { Value }]) => [key, resolved(Value, scope)]));
    const exported = shown.flatMap(([, { Export }]: [string, Input]) =>
      failures.length === 0 && Export !== undefined ? [String(resolved(Export.Name, scope))] : [],
    );
    return { resources, made, failures, outputs: values, exports: new Set(exported) };
  };

  const report = (stack: string, { logical, type, id, reason, isNew }: Failure): void =>
    addEvent(stack, {
      ...{ LogicalResourceId: logical, ResourceType: type, PhysicalResourceId: id },
      ...{ ResourceStatus: `${isNew ? "CREATE" : "UPDATE"}_FAILED`, ResourceStatusReason: reason },
    });

  /** Deletes resources, the last one first. @returns the logical ids of those that could not be deleted */
  const endAll = (
    stack: string,
    doomed: readonly (readonly [string, Live])[],
    isKept: (logical: string) => boolean,
  ): string[] =>
    doomed.toReversed().flatMap(([logical, live]) => {
      const event = { LogicalResourceId: logical, ResourceType: live.type, PhysicalResourceId: live.id };
      const reason = isKept(logical) ? null : end(live);
      if (isKept(logical)) addEvent(stack, { ...event, ResourceStatus: "DELETE_SKIPPED" });
      else if (reason !== null)
        addEvent(stack, { ...event, ResourceStatus: "DELETE_FAILED", ResourceStatusReason: reason });
      return reason === null ? [] : [logical];
    });

  return {
    /** Executes a change set. */
    async execute(name: string, isNew: boolean, template: Template, capabilities: string[]): Promise<void> {
      const verb = isNew ? "CREATE" : "UPDATE";
      const earlier = stacks.get(name)?.template;
      setStatus(name, `${verb}_IN_PROGRESS`);
      if (changing.isStuck) return;
      const before = stateOf(name);
      const saved = new Map(states);
      const { resources, made, failures, exports } = await apply(
        { name, template, capabilities, parameters: {} },
        before,
      );
      for (const failure of failures) report(name, failure);
      const others = [...states].filter(([other]) => other !== name);
      const taken = [...exports].find((one) => others.some(([, state]) => state.exports.has(one)));
      const [owner] = others.find(([, state]) => taken !== undefined && state.exports.has(taken)) ?? [];
      if (failures.length > 0 || taken !== undefined) {
        const back = isNew ? "ROLLBACK" : "UPDATE_ROLLBACK";
        const reason =
          taken === undefined
            ? `The following resource(s) failed to ${verb.toLowerCase()}: [${failures.map(({ logical }) => logical).join(", ")}].`
            : `Export with name ${taken} is already exported by stack ${owner}`;
        setStatus(name, `${back}_IN_PROGRESS`, reason);
        endAll(name, made, (logical) => isRetained(template, logical, "DeletionPolicy"));
        states.clear();
        for (const [one, state] of saved) states.set(one, state);
        if (!changing.isRollbackStuck) setStatus(name, `${back}_COMPLETE`);
        changing.onFailed();
        return;
      }
      // Deleted only now, so that a failed change can go back.
      const gone = [...before.resources].filter(([logical, live]) => {
        const now = resources.get(logical);
        return !(logical in template.Resources) || now?.id !== live.id;
      });
      endAll(name, gone, (logical) =>
        isRetained(
          earlier,
          logical,
          logical in template.Resources ? "UpdateReplacePolicy" : "DeletionPolicy",
        ),
      );
      for (const one of resources.keys()) if (!(one in template.Resources)) resources.delete(one);
      states.set(name, { resources, exports });
      stacks.set(name, {
        ...{ status: "", template },
        resources: Object.fromEntries([...resources].map(([logical, { type, id }]) => [logical, [type, id]])),
        ...(resources.has("HttpApi") ? { url: changing.url } : {}),
        ...(resources.has("Domain") ? { domainTarget: "d-1.execute-api.example" } : {}),
      });
      setStatus(name, `${verb}_COMPLETE`);
    },

    /** Deletes a stack. */
    remove(name: string): void {
      const { template, status = "" } = stacks.get(name) ?? {};
      setStatus(name, "DELETE_IN_PROGRESS");
      const { resources } = stateOf(name);
      // After a failed attempt, what remained.
      const failed = endAll(name, [...resources], (logical) =>
        isRetained(template, logical, "DeletionPolicy"),
      );
      if (failed.length > 0 && status !== "REVIEW_IN_PROGRESS") {
        states.set(name, {
          resources: new Map([...resources].filter(([one]) => failed.includes(one))),
          exports: new Set(),
        });
        setStatus(
          name,
          "DELETE_FAILED",
          `The following resource(s) failed to delete: [${failed.join(", ")}].`,
        );
        return;
      }
      states.delete(name);
      stacks.delete(name);
    },
  };
};
