/** POST /zombie/hunt/{url_id}: a zombie reports the tag code of a human whom it has tagged. */
import * as z from "zod/mini";
import { hunt, mayHunt } from "../../lib/domain/hunt.ts";
import { State } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, Note, PLACE, TagCode, Time, wholePlace } from "../../lib/http/fields.ts";
import { huntScene, reportOf, unknownCode } from "../../lib/http/huntScene.ts";
import { freshly } from "../../lib/http/scene.ts";
import { InteractionReturnType, interactionView, playerInfo, Timestamp } from "../../lib/http/views.ts";

const Hunt = z
  .strictObject({
    tag_code: TagCode,
    hunted_at: z.optional(Time),
    share_with: z.optional(z.array(AliasRef).check(z.maxLength(2))),
    ...PLACE,
    note: z.optional(Note),
  })
  .check(wholePlace);

export const handler = endpoint({
  route: "POST /zombie/hunt/{url_id}",
  access: "player",
  body: Hunt,
  answer: z.object({
    interaction: InteractionReturnType,
    hunter: z.object({ kills: z.int(), starves_at: z.nullable(Timestamp) }),
    prey: z.object({ alias: z.string(), state: State }),
  }),
  once: true,
  run: async (call) => {
    const { body, moment, now, services } = call;
    const again = freshly(call);
    return call.decide(async () => {
      const { player: hunter, game } = await again();
      const report = reportOf(body, hunter, now);
      mayHunt(hunter, game, moment);
      const scene = await huntScene(services.store, hunter, game, body);
      if (scene.prey === "unknown") return unknownCode(hunter, moment, scene.game);
      const outcome = hunt(scene, report, moment);
      return {
        changes: { ...outcome, seen: scene.game.rev },
        answer: {
          interaction: interactionView(outcome.interaction, scene.names, hunter),
          hunter: playerInfo(outcome.hunter, scene.game, now, null),
          prey: outcome.prey,
        },
      };
    });
  },
});
