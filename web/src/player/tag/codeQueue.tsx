/** The tags that wait for a network, and those that were refused. */
import { CloudUpload, TriangleAlert } from "lucide";
import { dismissTag, isOffline, tags } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";

/** @param props.sending the key of the tag that the form is sending, which is not listed */
export const TagQueue = ({ at, sending }: { at: number; sending: string | null }) => {
  const visibleTags = tags.value.filter(({ key }) => key !== sending);
  return visibleTags.length === 0 ? null : (
    <ul class="stack" aria-label={en.tag.queue}>
      {visibleTags.map(({ key, body, entered_at, refusal }) => (
        <li key={key} class="card queued" data-refused={refusal !== null}>
          <Icon of={refusal === null ? CloudUpload : TriangleAlert} size={20} />
          <p class="grow">
            <strong>{body.tag_code}</strong> · {timeText(Date.parse(entered_at), at)}
            <br />
            <span class="muted">{refusal ?? (isOffline.value ? en.tag.waiting : en.tag.waitingOnline)}</span>
          </p>
          {refusal === null ? null : <Button text={en.tag.dismiss} onClick={() => void dismissTag(key)} />}
        </li>
      ))}
    </ul>
  );
};
