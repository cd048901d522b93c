/** Commands about the waiver in the model's game. */
import type { Input } from "./request.ts";
import type { Model, Player } from "./state.ts";
import { insteadIf, type Plan, type Turn } from "./turn.ts";
import { mustSign } from "./views.ts";
import { versionOf } from "./waiver.ts";

const TEXTS = [
  "I play at my own risk.",
  "I play at my own risk, also at night.",
  "No running indoors.",
] as const;

/** A signature, mostly of the present waiver with the answers that it asks for. */
export const signatureIn = (t: Turn): Input<"POST /player/sign/{url_id}"> => {
  const { versions, asks } = t.m.waiver;
  const answers = asks.includes("photo_consent") !== t.chance(4) ? { photo_consent: t.chance(60) } : {};
  const version = (t.chance(90) ? versions[0] : undefined) ?? versionOf(t.pick(TEXTS));
  return { version, full_name: t.pick(["Ann Example", "Zoé Łukasz", "Ben"]), ...answers };
};

/** A game master asks for another text, corrects it, or asks for none; and sometimes for other answers. */
export const setWaiver: Plan = (t) => {
  const waiver = t.chance(15) ? null : t.pick(TEXTS);
  const keeps = t.chance(waiver === null ? 5 : 50) ? { waiver_keeps_signatures: true as const } : {};
  const asked = t.chance(60) ? ["photo_consent" as const] : [];
  return t.master("settings", {
    ...(t.chance(8) ? {} : { waiver }),
    ...keeps,
    ...t.maybe(50, { waiver_ask: asked }),
  });
};

const hasNone = ({ waiver }: Model): boolean => waiver.versions.length === 0;

const signers = (m: Model): Player[] => m.players.filter((player) => mustSign(m, player));

/** Somebody signs, mostly one who has to, often twice. */
export const signWaiver = insteadIf(hasNone, setWaiver, function* (t) {
  const player = t.prefer(signers(t.m), t.m.players);
  const done = yield* t.by(player, "POST /player/sign/{url_id}", signatureIn(t));
  return t.chance(20) ? yield* t.by(player, "POST /player/sign/{url_id}", signatureIn(t)) : done;
});

/** A game master enters what was signed on paper. */
export const enterPaper = insteadIf(hasNone, setWaiver, (t) => {
  const { version: _, ...signed } = signatureIn(t);
  return t.master("paper_signature", { ...t.ref(t.prefer(signers(t.m), t.m.players)), ...signed });
});
