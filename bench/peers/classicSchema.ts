/** The classic server's tables, and the schemas by which Fastify reads bodies and writes answers. */

export const TABLES = `
  CREATE TABLE players (
    id TEXT PRIMARY KEY, alias TEXT NOT NULL UNIQUE, first_name TEXT, last_name TEXT, email TEXT,
    is_admin INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, tag_code TEXT, code_since INTEGER,
    kills INTEGER NOT NULL DEFAULT 0, last_kill_at INTEGER, infection_id TEXT, infected_at INTEGER,
    infected_by TEXT, last_fed_at INTEGER, deadline INTEGER, passed_at INTEGER,
    has_pfp INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
  );
  CREATE INDEX hungry ON players (deadline) WHERE state = 'zombie';
  CREATE INDEX best ON players (kills DESC, last_kill_at) WHERE infected_at IS NOT NULL;
  CREATE TABLE codes (code TEXT PRIMARY KEY, player_id TEXT NOT NULL);
  CREATE TABLE sessions (
    hash TEXT PRIMARY KEY, player_id TEXT NOT NULL, created_at INTEGER NOT NULL, last_used INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE TABLE interactions (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, actor TEXT,
    target TEXT, parent TEXT, note TEXT, latitude REAL, longitude REAL
  );
  CREATE INDEX infections ON interactions (parent);
  CREATE TABLE misses (hunter TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX hunters_misses ON misses (hunter, at);
  CREATE TABLE game (paused_at INTEGER, clock_offset INTEGER NOT NULL);
  INSERT INTO game VALUES (NULL, 0);
  CREATE TABLE counts (humans INTEGER NOT NULL, zombies INTEGER NOT NULL);
  INSERT INTO counts VALUES (0, 0);
`;

const text = { type: "string" };
const flag = { type: "boolean" };
const whole = { type: "integer" };
const orNull = { type: ["string", "null"] };

export const HUNT_BODY = {
  type: "object",
  required: ["tag_code"],
  additionalProperties: false,
  properties: {
    tag_code: { type: "string", minLength: 1, maxLength: 64 },
    hunted_at: { type: "string", format: "date-time" },
    note: { type: "string", minLength: 1, maxLength: 280 },
    latitude: { type: "number", minimum: -90, maximum: 90 },
    longitude: { type: "number", minimum: -180, maximum: 180 },
  },
  dependencies: { latitude: ["longitude"], longitude: ["latitude"] },
};

export const HUNT_REPLY = {
  type: "object",
  properties: {
    interaction: {
      type: "object",
      properties: {
        interaction_id: text,
        kind: text,
        at: text,
        recorded_at: text,
        actor: orNull,
        target: orNull,
        details: {
          type: "object",
          properties: {
            infection_id: text,
            parent_infection_id: orNull,
            shared_with: { type: "array", items: text },
            note: text,
            latitude: { type: "number" },
            longitude: { type: "number" },
          },
        },
      },
    },
    hunter: { type: "object", properties: { kills: whole, starves_at: orNull } },
    prey: { type: "object", properties: { alias: text, state: text } },
  },
};

export const PLAYER_REPLY = {
  type: "object",
  properties: {
    player_id: text,
    alias: text,
    first_name: orNull,
    last_name: orNull,
    email: orNull,
    is_admin: flag,
    state: text,
    tag_code: orNull,
    kills: whole,
    infected_at: orNull,
    infected_by: orNull,
    last_fed_at: orNull,
    starves_at: orNull,
    passed_at: orNull,
    has_pfp: flag,
    push_kinds: { type: "array", items: text },
    created_at: text,
  },
};
