/** JSON Schemas of the endpoints' schemas, with named components and described fields. */
import * as z from "zod/mini";
import { PlayHours } from "../../lib/domain/game/schedule.ts";
import { Notification, SendResult, Subscription } from "../../lib/domain/notifications/push.ts";
import { CountsView } from "../../lib/http/counts.ts";
import { PlayerRef } from "../../lib/http/fields.ts";
import { GameView, PauseResponse } from "../../lib/http/gameViews.ts";
import { LoginReturn, NewPlayerReturn } from "../../lib/http/login.ts";
import { MissionView, PublicMission } from "../../lib/http/missions.ts";
import { PictureBytes, SetPicture } from "../../lib/http/pictures.ts";
import { SettingsView } from "../../lib/http/settings.ts";
import {
  ChangeStateResponse,
  CheckpointView,
  InteractionReturnType,
  LogEntryView,
  PlayerReturnInfo,
  PublicPlayer,
  PublicProfile,
  StaffPlayer,
  ZombieTree,
} from "../../lib/http/views.ts";
import { describeField } from "./fields.ts";

/** A part of the document. */
export type Json = { [name: string]: unknown };

/** The schemas that are shared, by their names in the document. */
const COMPONENTS = {
  ChangedPlayer: ChangeStateResponse,
  Checkpoint: CheckpointView,
  Counts: CountsView,
  Game: GameView,
  Interaction: InteractionReturnType,
  Login: LoginReturn,
  Mission: MissionView,
  LogEntry: LogEntryView,
  NewPlayer: NewPlayerReturn,
  Notification,
  Pause: PauseResponse,
  PlayHours,
  Player: PlayerReturnInfo,
  PlayerRef,
  PublicMission,
  PublicPlayer,
  PublicProfile,
  SendResult,
  Settings: SettingsView,
  StaffPlayer,
  Subscription,
  ZombieTree,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object at the end of some names; an empty one if there is none. */
export const objectAt = (value: unknown, ...names: string[]): Json => {
  const [name, ...more] = names;
  if (name !== undefined) return objectAt(isObject(value) ? value[name] : undefined, ...more);
  return isObject(value) ? value : {};
};

/** A reference to a component. */
export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The name of the component that a schema refers to; `null` for any other schema. */
export const nameOf = ({ $ref }: Json): string | null =>
  typeof $ref === "string" ? ($ref.split("/").at(-1) ?? null) : null;

/** Structures have names that begin with a capital; other components are fields that are described alike. */
export const isStructure = (name: string | null): name is string => name !== null && /^[A-Z]/.test(name);

/** Turns a choice between a schema with a type and `null` into one schema with both types; other schemas stay. */
const withNull = (json: Json): Json => {
  const [first, second] = Array.isArray(json.anyOf) ? json.anyOf : [];
  if (!isObject(first) || !isObject(second) || second.type !== "null" || typeof first.type !== "string")
    return json;
  const { anyOf: _, ...rest } = json;
  const choice = Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {};
  return { ...first, ...rest, type: [first.type, "null"], ...choice };
};

/** Formats that make their long patterns unnecessary. */
const SELF_EXPLAINING = ["date-time", "uuid", "idn-email"];

/** Removes what only the validator needs. Responses may get further fields, so their schemas allow others. */
const tidy = (value: unknown, io: "input" | "output"): unknown => {
  if (Array.isArray(value)) return value.map((inner) => tidy(inner, io));
  if (!isObject(value)) return value;
  const json: Json = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, tidy(inner, io)]),
  );
  if (io === "output" && json.additionalProperties === false) delete json.additionalProperties;
  delete json.$schema;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (SELF_EXPLAINING.includes(String(json.format))) delete json.pattern;
  if (json.const !== undefined && typeof json.type === "string") delete json.type;
  if (typeof json.$ref === "string" && json.$ref.includes("/__")) return {};
  if (Array.isArray(json.prefixItems)) {
    // A pair of equal entries; not every tool knows tuples.
    json.items = json.prefixItems[0];
    delete json.prefixItems;
  }
  if (typeof json.$ref === "string") json.$ref = json.$ref.replace("#/$defs/", "#/components/schemas/");
  return withNull(json);
};

/** The types that JSON Schema does not know, and JSON of any depth. */
const override = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Json }): void => {
  if (zodSchema === PictureBytes || zodSchema === SetPicture.shape.image) {
    Object.assign(jsonSchema, { type: "string", contentEncoding: "base64" });
  }
  if (zodSchema._zod.def.type === "union" && Array.isArray(jsonSchema.anyOf) && jsonSchema.anyOf.length > 4) {
    delete jsonSchema.anyOf;
    jsonSchema.description = "Any JSON value.";
  }
};

/** Describes the fields of objects, wherever they are in a schema. */
const describe = (value: unknown, own: Readonly<Record<string, string>>, path: string): void => {
  if (Array.isArray(value)) for (const inner of value) describe(inner, own, path);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(isObject(value.properties) ? value.properties : {})) {
    if (isObject(inner) && inner.$ref === undefined) inner.description = describeField(name, own, path);
    else if (isObject(inner) && own[name] !== undefined) inner.description = own[name];
    describe(inner, own, `${path}.${name}`);
  }
  for (const [name, inner] of Object.entries(value)) {
    if (name !== "properties") describe(inner, own, path);
  }
};

/** The schema of an endpoint, and the components that it refers to. */
export interface Described {
  schema: Json;
  components: Record<string, Json>;
}

/**
 * Describes a schema.
 * @param own descriptions of the endpoint's own fields
 * @param path names the endpoint in errors
 * @throws Error for a field without a description
 */
export const describeSchema = (
  schema: z.ZodMiniType,
  io: "input" | "output",
  own: Readonly<Record<string, string>>,
  path: string,
): Described => {
  const json = z.toJSONSchema(schema, { io, metadata: registry, unrepresentable: "any", override });
  const { $defs = {}, ...rest } = json;
  const components: Record<string, Json> = {};
  for (const [name, component] of Object.entries($defs)) {
    const tidied = tidy(component, io);
    if (!isObject(tidied) || name.startsWith("__")) continue;
    describe(tidied, {}, name);
    const { id: _, ...shown } = tidied;
    components[name] = shown;
  }
  const tidied = tidy(rest, io);
  if (!isObject(tidied)) throw new Error(`${path} has no schema`);
  describe(tidied, own, path);
  return { schema: tidied, components };
};
