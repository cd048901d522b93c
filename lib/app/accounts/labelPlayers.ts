/** Adds labels to players and removes them. */
import * as z from "zod/mini";
import { withLabels } from "../../domain/accounts/labels.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { AliasRef, atLeastOneOf, Label } from "../../http/fields.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayers, reloadOnRetry } from "../currentState.ts";

/** All players of a request are changed in one transaction, which has at most 100 writes. */
const MAX_PLAYERS = 50;

const labelList = () => z.optional(z.array(Label).check(z.minLength(1), z.maxLength(20)));

export const LabelRequest = z
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

export const LabelResponse = z.object({
  players: z.array(z.object({ alias: z.nullable(z.string()), labels: z.array(z.string()) })),
});

/**
 * Changes the labels of all players that the request names, or on error of none.
 * @throws DomainError `player_not_found`, `invalid_request` if a player would have too many labels
 */
export const labelPlayers = (
  call: Call<"administrator", z.infer<typeof LabelRequest>, unknown, z.infer<typeof LabelResponse>>,
): Promise<CommandResponse> => {
  const { audit, body, services } = call;
  const { aliases, add = [], remove = [] } = body;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ game }, found] = await Promise.all([reload(), findPlayers(services.store, aliases)]);
    const players = found.map((before) => ({ before, after: withLabels(before, add, remove) }));
    audit.details = { add, remove, player_ids: found.map(({ player_id }) => player_id) };
    return {
      changes: { players, basedOn: game },
      result: { players: players.map(({ after: { alias, labels } }) => ({ alias, labels })) },
    };
  });
};
