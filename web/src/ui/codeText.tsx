/** A command as text: it breaks between its words alone, and not within `--`. */
import "./codeText.css";

export const CodeText = ({ text }: { text: string }) => (
  <code class="code-text">
    {text.split(" ").flatMap((word, at) => [at === 0 ? "" : " ", <span key={at}>{word}</span>])}
  </code>
);
