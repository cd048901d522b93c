/** Undoing the enforcement of a checkpoint, or of required missions. */
import { gm } from "../../text/staff.ts";
import { command } from "../calls.ts";
import type { Confirmation } from "../ui/confirmation.tsx";
import { undoEffects } from "../ui/previews.ts";

const PREVIEW_LIMIT = 100;

/**
 * Returns the command to undo an enforcement, with the effects from a dry run.
 * @param checkpoint_id of required missions the id of the job
 */
export const previewUndo = async (checkpoint_id: string, title: string): Promise<Confirmation> => {
  const reason = gm.commands.undo_checkpoint.button;
  const body = { checkpoint_id, dry_run: true, limit: PREVIEW_LIMIT, reason };
  const dry = await command("undo_checkpoint", body);
  return {
    action: "undo_checkpoint",
    title,
    effects: undoEffects(dry),
    isReady: () => dry.restored > 0,
    run: async ({ reason = "" }, key) => {
      const done = await command("undo_checkpoint", { checkpoint_id, reason }, key);
      return { text: done.complete ? gm.checkpoint.undone(done.restored) : gm.checkpoint.undoing };
    },
  };
};
