/** What a scene is: a request that succeeds and changes something, and what is known of it. */
import { ENDPOINTS, type EndpointContract } from "../../contract/seed.ts";
import type { RequestOptions, Result } from "../../support/service.ts";
import type { Manner } from "./calls.ts";
import type { Cast } from "./cast.ts";
import type { Stand } from "./stand.ts";

/** Tries out what must work after a scene. */
export type Works = (on: Stand, answer: Result, say: string) => Promise<void>;

export interface Scene {
  route: string;
  /** What tells it from other scenes of its route. */
  what?: string;
  /** What happens before, in the game as everybody knows it. */
  prepare?: (on: Stand) => Promise<unknown>;
  ask: (on: Cast) => RequestOptions;
  /** Its status, where it is not the route's success, or another one: a refusal that leaves something behind. */
  status?: number;
  /** What whoever asks again hears after it was carried out; the same success unless said. */
  again?: number;
  /** Whether it may end half-way, to be taken up by the same request. */
  isJob?: boolean;
  /** Where an index proposes whom it concerns: the least lag at which those are others. */
  proposes?: "once" | "throughout";
  /** What must work after it, beside what the table shows; `answer` is the last one, `say` what was done. */
  works?: Works;
  /** Whether its entry of the log is no part of what it writes: who dies between the two leaves none. */
  isLoggedApart?: boolean;
  /** Whether it takes a crowd. */
  isLarge?: boolean;
  /** Whether it needs no database at all. */
  isBare?: boolean;
}

/** Whether an index that lags so may make something else of it. */
export const isFree = ({ proposes }: Pick<Scene, "proposes">, { lags }: Manner): boolean =>
  proposes !== undefined && (lags === "throughout" || lags === proposes);

/** The one key of every request that takes one. */
const KEY = "the-same-key";

export const promisedOf = ({ route }: Scene): EndpointContract => {
  const promised = ENDPOINTS.find((one) => one.route === route);
  if (promised === undefined) throw new Error(`${route} is promised nowhere`);
  return promised;
};

export const statusOf = (scene: Scene): number => scene.status ?? promisedOf(scene).status;

/** The scenes given, and a plain request to each endpoint of these that has none. */
export const withOthers = (
  scenes: readonly Scene[],
  promised: readonly EndpointContract[],
): readonly Scene[] => [
  ...scenes,
  ...promised
    .filter(({ route }) => !scenes.some((scene) => scene.route === route))
    .map(({ route, access }): Scene => {
      const body = route.startsWith("POST ") ? { body: {} } : {};
      return { route, ask: ({ ada, gm }) => ({ as: access === "administrator" ? gm : ada, ...body }) };
    }),
];

/** The request of a scene, with its key. */
export const askingOf = (scene: Scene, cast: Cast): RequestOptions => ({
  ...scene.ask(cast),
  ...(promisedOf(scene).once ? { key: KEY } : {}),
});

export const titleOf = ({ route, what }: Scene): string => (what === undefined ? route : `${route}, ${what}`);

/** Asks once more for something else, as anybody would. */
export const must = async (on: Stand, route: string, asking: RequestOptions): Promise<Result> => {
  const result = await on.s.call(route, asking);
  if (result.status >= 300) throw new Error(`${route}: ${result.status} ${result.text}`);
  return result;
};
