/** A notice above a form that shows what was typed on an earlier visit, with a button that discards it. */
import type { ComponentChildren } from "preact";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";

interface RestoredProps {
  draft: { isRestored: boolean; clear: () => void };
  /** What has changed since it was typed. */
  children?: ComponentChildren;
}

export const Restored = ({ draft: { isRestored, clear }, children }: RestoredProps) =>
  isRestored ? (
    <div class="restored" role="status">
      <p>
        {en.draft.restored} {children}
      </p>
      <Button text={en.draft.discard} kind="text" onClick={() => clear()} />
    </div>
  ) : null;
