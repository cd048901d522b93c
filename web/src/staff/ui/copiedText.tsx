/** A text to take along, with a button that copies it. */
import { Copy } from "lucide";
import { gm } from "../../text/staff.ts";
import { Button } from "../../ui/button.tsx";
import { CodeText } from "../../ui/codeText.tsx";
import { showToast } from "./toasts.tsx";

export const CopiedText = ({ text }: { text: string }) => (
  <div class="command">
    <CodeText text={text} />
    <Button
      text={gm.common.copy(text)}
      icon={Copy}
      isIcon
      kind="quiet"
      onClick={() =>
        void navigator.clipboard
          .writeText(text)
          .then(() => gm.common.copied)
          // The browser may forbid it.
          .catch(() => gm.common.notCopied)
          .then((done) => showToast(done))
      }
    />
  </div>
);
