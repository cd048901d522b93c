/** The codes that wait for a network, and those that were refused. */
import { CloudUpload, TriangleAlert } from "lucide";
import { codeOf } from "../../state/queue.ts";
import { dismissCode, isOffline, queue } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";

/** @param props.sending the key of the code that the form is sending, which is not listed */
export const CodeQueue = ({ at, sending }: { at: number; sending: string | null }) => {
  const visible = queue.value.filter(({ key }) => key !== sending);
  return visible.length === 0 ? null : (
    <ul class="stack" aria-label={en.tag.queue}>
      {visible.map(({ key, body, entered_at, refusal }) => (
        <li key={key} class="card queued" data-refused={refusal !== null}>
          <Icon of={refusal === null ? CloudUpload : TriangleAlert} size={20} />
          <p class="grow">
            <strong>{codeOf({ body })}</strong> · {timeText(Date.parse(entered_at), at)}
            <br />
            <span class="muted">{refusal ?? (isOffline.value ? en.tag.waiting : en.tag.waitingOnline)}</span>
          </p>
          {refusal === null ? null : <Button text={en.tag.dismiss} onClick={() => void dismissCode(key)} />}
        </li>
      ))}
    </ul>
  );
};
