/** A list, and beside it on a wide screen the outbreak as it is now. */
import type { ComponentChildren } from "preact";
import { snapshot } from "../../state/session.ts";
import { Counts } from "../counts.tsx";
import { Crowd } from "../crowd.tsx";
import "./split.css";

export const Split = ({ children }: { children: ComponentChildren }) => {
  const counts = snapshot.value?.game.counts;
  return (
    <main class="page split">
      <div class="stack">{children}</div>
      {counts === undefined ? null : (
        <aside>
          <Crowd counts={counts} />
          <Counts counts={counts} />
        </aside>
      )}
    </main>
  );
};
