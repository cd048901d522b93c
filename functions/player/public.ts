/** GET /public: the public view of the game, without a token. */
import * as z from "zod/mini";
import { publicPageReader } from "../../lib/app/game/publicPage.ts";
import { REGISTRATIONS } from "../../lib/domain/game/settings.ts";
import { State } from "../../lib/domain/players/player.ts";
import { integer, nullableText, text } from "../../lib/domain/schemas.ts";
import { CountsView, StatisticsPoint, statisticsProse } from "../../lib/http/counts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { RESULT_FIELDS, RESULT_PROSE, SCHEDULE_FIELDS, SituationName } from "../../lib/http/gameViews.ts";
import { PublicMission } from "../../lib/http/missions.ts";
import { IDENTITY_FIELDS, InteractionReturnType, Timestamp } from "../../lib/http/views.ts";
import { PublicWaiver } from "../../lib/http/waiver.ts";

const BoardPlayer = z.object({
  rank: integer,
  ...IDENTITY_FIELDS,
  alias: text,
  state: State,
  kills: integer,
  last_kill_at: z.nullable(Timestamp),
});

const PAGE_FIELDS = {
  name: text,
  description: nullableText,
  rules: nullableText,
  contact: nullableText,
  stun: nullableText,
  safe_places: nullableText,
  ...SCHEDULE_FIELDS,
  situation: SituationName,
  ...RESULT_FIELDS,
  paused: z.boolean(),
  counts: CountsView,
  registration: z.enum(REGISTRATIONS),
  registration_closes_at: z.nullable(Timestamp),
  needs_join_code: z.boolean(),
  has_waiver: z.boolean(),
  /** Only if the query asks for it. */
  waiver: z.optional(z.nullable(PublicWaiver)),
  sends_mail: z.boolean(),
  /** `null` unless the setting `public_board` is on. */
  board: z.nullable(
    z.object({
      leaderboard: z.array(BoardPlayer),
      interactions: z.array(InteractionReturnType),
      history: z.array(StatisticsPoint),
      missions: z.array(PublicMission),
    }),
  ),
};

const PublicPage = z.lazy(() => z.object(PAGE_FIELDS));

/** The part of the page that is stored, for everybody together. */
const Shared = z.lazy(() => {
  const { description, rules, contact, stun, safe_places, counts, board } = PAGE_FIELDS;
  const texts = z.object({ description, rules, contact, stun, safe_places });
  return z.object({ texts, counts, board });
});

export const handler = endpoint({
  route: "GET /public",
  access: "public",
  request: { query: z.strictObject({ waiver: z.optional(z.literal("true")) }) },
  response: { schema: PublicPage, cacheControl: "public, max-age=30" },
  read: publicPageReader((stored) => Shared.parse(stored)),
});

export const docs: EndpointDocs = {
  summary: "Read the game without a token",
  description:
    "The public view of the game, for a landing page or a big screen. It may be cached for 30 seconds. Counts, texts and the board may be 15 seconds old; the rest is current.",
  fields: {
    ...RESULT_PROSE,
    name: "The name of the game.",
    description: "A text for players.",
    paused: "Whether the game is paused.",
    needs_join_code: "Whether newcomers need a join code.",
    version: "The version of the waiver: a hash of its text.",
    text: "The waiver, in Markdown.",
    has_waiver: "Whether players have to sign a waiver.",
    waiver:
      "The waiver, if the query asks for it; `null` if there is none. In the query, `true` asks for it.",
    sends_mail: "Whether the service sends mail, such as a link for a forgotten password.",
    board:
      "The best players, the latest events and the numbers over time; `null` unless the setting `public_board` is on.",
    leaderboard: "The ten best players.",
    interactions: "The 20 latest events, without notes, places and reasons.",
    history:
      "The counts over time, by hour or, if the game has lasted longer than two weeks, by day in its time zone.",
    ...statisticsProse(),
    missions: "The latest missions with a revealed briefing for all, with what is for all.",
    rank: "The rank. Ties share a rank.",
    last_kill_at: "When the player reached this number.",
  },
  example: {},
};
