/**
 * The documentation of an endpoint, which its file exports as `docs` beside `handler`. It is not deployed with the
 * function: a bundle has only what its handler uses.
 */
import type { ErrorCode } from "../domain/domainError.ts";

/** A player of the example game. */
interface Character {
  id: string;
  /** The tag code of a human. */
  code: string | null;
}

/**
 * The example game (tests/contract/exampleGame.ts):
 * - `gm` is a game master who does not play, Mo is a moderator, and Sue has not enrolled.
 * - Ada and Ben are humans. Ada has a picture; Ben wants to be an original zombie.
 * - Zed is an original zombie. He tagged Yan, who disputes it.
 * - Rosa reported that Zed had tagged her; Zed has not entered that tag.
 * - Cora is a corpse, Pia waits to be admitted, and Mallory is banned.
 *
 * There are two missions that everybody knows. Ada attends one of them, and the other is closed.
 *
 * A checkpoint is set, one notification was sent, and one is scheduled.
 */
export interface ExampleGame {
  gm: Character;
  ada: Character;
  ben: Character;
  zed: Character;
  sue: Character;
  /** The id of the hunt in which Zed tagged Yan. */
  hunt: string;
  /** The id of the tag that Rosa reported. */
  reported: string;
  /** The id of the notification that was sent. */
  sent: string;
  scheduled: string;
  /** The id of a batch of codes for everybody, and one of its codes that nobody has redeemed. */
  batch: string;
  supply: string;
  /** The id of Ben's redemption of another of its codes. */
  redemption: string;
  /** The token of the link with which Zed can confirm his address. */
  confirmation: string;
  /** The token that switches off announcements by mail to the player Zed. */
  unsubscribe: string;
  /** A mail that a server has refused. */
  mail: string;
  /** The id of Ada's picture. */
  picture: string;
  /** The id of a mission that Ada attends, and of one that is closed. */
  mission: string;
  /** The id of the season, once it is finished. */
  season?: string;
  closedMission: string;
  /** The version of the waiver, which Ben and Sue have signed. */
  waiver: string;
}

/** A value, or how to get it from the example game. */
type FromGame<T> = T | ((game: ExampleGame) => T);

/** A request in the example game. A test sends it, and documents its response as the example. */
interface Example {
  /**
   * The sender; by default a game master for endpoints of moderators and administrators, and Ada for those of players.
   * Public endpoints get no token, unless `takesToken` is set.
   */
  as?: "gm" | "ada" | "ben" | "zed" | "sue";
  /** Whether the season is finished before. */
  finished?: true;
  /** Parameters of the path, except `url_id`. */
  path?: FromGame<Readonly<Record<string, string>>>;
  body?: FromGame<Readonly<Record<string, unknown>>>;
  query?: FromGame<Readonly<Record<string, string | number>>>;
}

/** The documentation of an endpoint. All texts are Markdown. */
export interface EndpointDocs {
  /** What the endpoint does, in a few words and without a full stop. */
  summary: string;
  /** What a caller needs to know, in one to four sentences. Longer rules belong in docs/api.md. */
  description: string;
  /** The codes of its errors, except those of every endpoint of its kind (scripts/openapi/responses.ts). */
  errors?: readonly ErrorCode[];
  /** What a success contains, by its status, if it is not the usual one or there are several. */
  success?: Readonly<Record<number, string>>;
  /** Descriptions of its own fields by name. Those of several endpoints are beside their schemas. */
  fields?: Readonly<Record<string, string>>;
  /** The media type of a response that is neither JSON nor a picture. */
  mediaType?: string;
  /** Whether a public endpoint takes a token all the same. */
  takesToken?: boolean;
  example: Example;
}
