/** The form of a mission: what is typed, what a request has of it, and what each side sees. Pure. */
import type { BodyOf } from "../../../../../client/src/types.ts";
import type { CommandPath, Mission } from "../../../schemas.ts";
import { list, number, optional, shape, text } from "../../../state/shapes.ts";

export type MissionBody = NonNullable<BodyOf<CommandPath<"set_mission">, "post">>;
type Briefing = Mission["briefings"][number];
type Reward = Mission["rewards"][number];

/** The sides for whom there can be briefings. */
export const AUDIENCES = ["all", "humans", "zombies", "corpses"] as const satisfies Briefing["audience"][];
export const SIDES = ["humans", "zombies", "corpses"] as const satisfies Briefing["audience"][];
export type Side = (typeof SIDES)[number];
export const REWARD_AUDIENCES = ["all", "humans", "zombies"] as const satisfies Reward["audience"][];

export interface TypedBriefing {
  audience: Briefing["audience"];
  text: string;
  /** `null`: as soon as the mission is saved. */
  reveal_at: string | null;
  outcome_text: string;
}

export interface TypedReward {
  audience: Reward["audience"];
  feed_seconds: number | null;
  cure: boolean;
  points: number | null;
  badge_name: string;
  badge_symbol: string;
  message: string;
}

export interface MissionForm {
  title: string;
  starts_at: string | null;
  ends_at: string | null;
  place: string;
  /** Latitude and longitude, as maps copy them: `52.5, 13.4`. */
  coordinates: string;
  briefings: TypedBriefing[];
  attendance: boolean;
  rewards: TypedReward[];
  required: boolean;
  required_to_play: boolean;
  draft: boolean;
  /** The version with which the typing was begun. */
  version: number;
}

export const newBriefing = (audience: TypedBriefing["audience"] = "all"): TypedBriefing => ({
  ...{ audience, text: "", reveal_at: null, outcome_text: "" },
});

export const newReward = (): TypedReward => ({
  ...{ audience: "all", feed_seconds: null, cure: false, points: null },
  ...{ badge_name: "", badge_symbol: "", message: "" },
});

export const EMPTY_FORM: MissionForm = {
  ...{ title: "", starts_at: null, ends_at: null, place: "", coordinates: "" },
  ...{ briefings: [newBriefing()], attendance: true, rewards: [] },
  ...{ required: false, required_to_play: false, draft: false, version: 0 },
};

/** Whether the lists of a stored draft have the form of this build. */
export const hasLists = (value: unknown): boolean =>
  shape<MissionForm>({
    briefings: optional(
      list(shape<TypedBriefing>({ audience: text, text, reveal_at: optional(text), outcome_text: text })),
    ),
    rewards: optional(
      list(
        shape<TypedReward>({
          ...{ audience: text, feed_seconds: optional(number), points: optional(number) },
          ...{ badge_name: text, badge_symbol: text, message: text },
        }),
      ),
    ),
  })(value);

/** The form of a stored mission. */
export const formOf = (mission: Mission): MissionForm => {
  const { title, starts_at, ends_at, place, latitude, longitude, required, required_to_play } = mission;
  return {
    ...{ title, starts_at, ends_at, place: place ?? "", required, required_to_play },
    coordinates: latitude === null || longitude === null ? "" : `${latitude}, ${longitude}`,
    briefings: mission.briefings.map(({ audience, text, reveal_at, outcome_text }) => ({
      ...{ audience, text, reveal_at, outcome_text: outcome_text ?? "" },
    })),
    attendance: mission.attendance === "desk",
    rewards: mission.rewards.map(({ audience, effect }) => ({
      ...{ audience, feed_seconds: effect.feed_seconds ?? null, cure: effect.cure === true },
      ...{ points: effect.points ?? null, badge_name: effect.badge?.name ?? "" },
      ...{ badge_symbol: effect.badge?.symbol ?? "", message: effect.message ?? "" },
    })),
    draft: mission.draft ?? false,
    version: mission.version ?? 0,
  };
};

export interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Reads coordinates in degrees. @returns `null` for a text that is none */
export const readCoordinates = (typed: string): Coordinates | null => {
  const [, first, second] = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(typed) ?? [];
  const [latitude, longitude] = [Number(first), Number(second)];
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPlace ? { latitude, longitude } : null;
};

/** The effect of a reward, without what is left empty; `null` for an empty one. */
export const effectOf = (typed: TypedReward): Reward["effect"] | null => {
  const { feed_seconds, cure, points, badge_name, badge_symbol, message } = typed;
  const badge = { name: badge_name.trim(), symbol: badge_symbol.trim() };
  const effect = {
    ...(feed_seconds === null ? {} : { feed_seconds }),
    ...(cure ? { cure } : {}),
    ...(points === null ? {} : { points }),
    ...(badge.name === "" && badge.symbol === "" ? {} : { badge }),
    ...(message.trim() === "" ? {} : { message: message.trim() }),
  };
  return Object.keys(effect).length === 0 ? null : effect;
};

/** What has to be typed before the form can be sent. */
export const isComplete = (form: MissionForm): boolean =>
  form.title.trim() !== "" &&
  form.starts_at !== null &&
  form.ends_at !== null &&
  form.briefings.length > 0 &&
  form.briefings.every(({ text }) => text.trim() !== "") &&
  form.rewards.every((one) => effectOf(one) !== null) &&
  (form.coordinates.trim() === "" || readCoordinates(form.coordinates) !== null);

/** A mission of the form, as a request has it. @param at when it is sent, in milliseconds since 1970 */
export const bodyOf = (form: MissionForm, at: number) => {
  const place = form.place.trim();
  const { starts_at, ends_at, required, required_to_play, draft } = form;
  const { latitude, longitude } = readCoordinates(form.coordinates) ?? { latitude: null, longitude: null };
  return {
    title: form.title.trim(),
    starts_at: starts_at ?? "",
    ends_at: ends_at ?? "",
    place: place === "" ? null : place,
    ...{ latitude, longitude },
    briefings: form.briefings.map(({ audience, text, reveal_at, outcome_text }) => ({
      ...{ audience, text: text.trim(), reveal_at: reveal_at ?? new Date(at).toISOString() },
      outcome_text: outcome_text.trim() === "" ? null : outcome_text.trim(),
    })),
    attendance: form.attendance ? ("desk" as const) : ("none" as const),
    rewards: form.rewards.flatMap((one) => {
      const effect = effectOf(one);
      return effect === null ? [] : [{ audience: one.audience, effect }];
    }),
    ...{ required, required_to_play, draft },
  };
};

/** The fields of the form, and those of a request that each becomes. */
export const FIELDS = {
  title: ["title"],
  starts_at: ["starts_at"],
  ends_at: ["ends_at"],
  place: ["place"],
  coordinates: ["latitude", "longitude"],
  briefings: ["briefings"],
  attendance: ["attendance"],
  rewards: ["rewards"],
  required: ["required"],
  required_to_play: ["required_to_play"],
  draft: ["draft"],
} as const satisfies Partial<Record<keyof MissionForm, readonly (keyof ReturnType<typeof bodyOf>)[]>>;
export type FieldName = keyof typeof FIELDS;

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

// `keys` forgets the names.
const NAMES = Object.keys(FIELDS) as FieldName[];

/** The fields that differ. */
export const changedFields = (before: MissionForm, after: MissionForm): FieldName[] =>
  NAMES.filter((name) => !isSame(before[name], after[name]));

/** The part of a request that changes some fields. */
export const partOf = (form: MissionForm, names: readonly FieldName[], at: number): Partial<MissionBody> => {
  const body = bodyOf(form, at);
  const wanted = new Set<string>(names.flatMap((name) => FIELDS[name]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => wanted.has(name)));
};

/** What somebody on a side sees of the mission once everything for them is revealed. */
const seenBy = (side: Side, { briefings, rewards }: ReturnType<typeof bodyOf>) => {
  const isFor = ({ audience }: { audience: string }): boolean => audience === "all" || audience === side;
  return { briefings: briefings.filter(isFor), rewards: rewards.filter(isFor) };
};

export interface SideView {
  /** The sides that see the same. */
  sides: Side[];
  seen: ReturnType<typeof seenBy>;
}

/** What the sides see, those together who see the same. */
export const viewsOf = (body: ReturnType<typeof bodyOf>): SideView[] => {
  const views = SIDES.map((side) => ({ side, seen: seenBy(side, body) }));
  const groups = Map.groupBy(views, ({ seen }) => JSON.stringify(seen.briefings.length === 0 ? null : seen));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ seen }) => ({ sides: same.map(({ side }) => side), seen })),
  );
};
