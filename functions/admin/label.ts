/** POST /admin/label/{url_id}: adds labels to players and removes them. */
import * as z from "zod/mini";
import { labelPlayers } from "../../lib/app/players/labelPlayers.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, atLeastOneOf, Label } from "../../lib/http/fields.ts";

/** All players of a request are changed in one transaction, which has at most 100 writes. */
const MAX_PLAYERS = 50;

const labelList = () => z.optional(z.array(Label).check(z.minLength(1), z.maxLength(20)));

const LabelRequest = z
  .strictObject({
    aliases: z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_PLAYERS)),
    add: labelList(),
    remove: labelList(),
  })
  .check(
    atLeastOneOf("add", "remove"),
    z.refine(({ add = [], remove = [] }) => !add.some((label) => remove.includes(label)), {
      error: "must not have a label that add has too",
      path: ["remove"],
    }),
  );

const LabelResponse = z.object({
  players: z.array(z.object({ alias: z.nullable(z.string()), labels: z.array(z.string()) })),
});

export const handler = endpoint({
  route: "POST /admin/label/{url_id}",
  access: "administrator",
  request: { body: LabelRequest },
  response: { schema: LabelResponse },
  idempotency: { scope: "player" },
  decide: (call) => labelPlayers(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Label players",
  description: "Adds labels to up to 50 players or removes them. If an alias is unknown, nobody is changed.",
  fields: {
    aliases: "The players.",
    add: "The labels to add.",
    remove: "The labels to remove.",
    players: "The players afterwards.",
  },
  example: { body: { aliases: ["Ada", "Ben"], add: ["waiver"] } },
};
