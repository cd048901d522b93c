/** One step of the model: a request, and what becomes of the game and is answered. Pure. */
import { DAY, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { ACCOUNTS } from "./accounts.ts";
import { admit, Refused } from "./door.ts";
import { sweep } from "./game.ts";
import { MASTERS } from "./masters.ts";
import { foldedOf } from "./names.ts";
import { PLAY } from "./play.ts";
import type { Answer, Call, Expected, Facts, Request, Route, Rules } from "./request.ts";
import type { Kept, Model, Player } from "./state.ts";

const RULES: Rules<Route> = { ...ACCOUNTS, ...MASTERS, ...PLAY };

/** Judges a request by its own endpoint's rule. */
const judged = <R extends Route>(m: Model, request: Request<R>, call: Call, asker: Player | null): Answer =>
  RULES[request.route].judge(m, request.body, call, asker);

/** Whose key a request has, and which request it is. */
const onceOf = (request: Request, asker: Player | null): Pick<Kept, "who" | "key" | "request"> | null => {
  const { route, by, body, key } = request;
  if (key === null || !RULES[route].once) return null;
  const who = request.route === "POST /new" ? `NEW#${foldedOf(request.body.alias)}` : (asker?.id ?? "");
  return { who, key, request: JSON.stringify([route, by, body]) };
};

/** The answer that is kept for a request. @throws Refused `key_reused` */
const keptFor = (m: Model, once: ReturnType<typeof onceOf>): Kept | undefined => {
  const kept = m.kept.find(({ who, key, until }) => who === once?.who && key === once.key && until > m.now);
  if (kept !== undefined && kept.request !== once?.request) throw new Refused("key_reused");
  return kept;
};

const keep = (m: Model, once: NonNullable<ReturnType<typeof onceOf>>, { status }: Answer, text: string) => {
  m.kept = m.kept.filter(({ who, key }) => who !== once.who || key !== once.key);
  // For a day, to the second.
  m.kept.push({ ...once, until: Math.floor(m.now / SECOND) * SECOND + DAY, status, text });
};

/** Gives what was recorded the ids that the service has for it. */
const withIds = (m: Model, events: Facts["events"]): void => {
  const left = [...events];
  for (const event of m.record.filter(({ id }) => id === "")) {
    const at = left.findIndex(
      ({ kind, at, actor, target }) =>
        kind === event.kind && at === rfc3339(event.at) && actor === event.actor && target === event.target,
    );
    event.id = left.splice(at, at < 0 ? 0 : 1)[0]?.id ?? "not recorded";
  }
};

const refusal = ({ status, code, retryAfter }: Refused): Expected => ({ status, code, retryAfter });

const actionOf = (route: Route): string =>
  route
    .split(/[ /]/)
    .filter((word) => !word.startsWith("{"))
    .at(-1) ?? "";

/** The game after a request, and what is answered. */
export const step = (before: Model, request: Request, facts: Facts): { after: Model; expected: Expected } => {
  const m = structuredClone(before);
  m.step += 1;
  const { access, isLogged } = RULES[request.route];
  const call: Call = { facts, token: request.token, from: request.from, actor: null };
  const log = (outcome: string): void => {
    if (isLogged) m.log.push({ action: actionOf(request.route), actor: call.actor, outcome });
  };

  let asker: Player | null = null;
  try {
    if (access !== "public") asker = admit(m, request.by ?? "", request.token, access === "administrator");
  } catch (error) {
    if (error instanceof Refused) return { after: m, expected: refusal(error) };
    throw error;
  }
  call.actor = asker?.id ?? null;

  try {
    const once = onceOf(request, asker);
    const kept = keptFor(m, once);
    if (kept !== undefined) {
      log("done");
      return { after: m, expected: { status: kept.status, text: kept.text, again: true } };
    }
    const answer = judged(m, request, call, asker);
    if (once !== null) keep(m, once, answer, facts.text);
    log("done");
    withIds(m, facts.events);
    return { after: m, expected: { status: answer.status, body: answer.body?.(m) } };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // Whoever is told to wait at the door leaves no entry.
    if (access !== "public" || error.code !== "too_many_attempts") log(error.code);
    return { after: m, expected: refusal(error) };
  }
};

/** The game after a sweep, and how many starvations that has recorded. */
export const sweepStep = (before: Model, events: Facts["events"]): { after: Model; starved: number } => {
  const after = structuredClone(before);
  after.step += 1;
  const starved = sweep(after);
  withIds(after, events);
  return { after, starved };
};
