/** The tokens of a statement, read one after the other; and the values that its parameters stand for. */
import { type DomainError, invalid } from "../domain/domainError.ts";
import { errorAt, type Value } from "./ast.ts";
import { type Token, tokenize } from "./tokens.ts";

/** What is nested deeper is refused, so that nothing can exhaust the stack. */
const MOST_NESTING = 20;

export const openTokenReader = (source: string, parameters: readonly unknown[]) => {
  const end: Token = { kind: "space", source: "", at: source.length, value: "" };
  const tokens: Token[] = [];
  for (const token of tokenize(source)) {
    if (token.kind === "bad") throw errorAt(source, token.at, token.value);
    if (token.kind !== "space" && token.kind !== "comment") tokens.push(token);
  }
  let position = 0;
  let parametersRead = 0;
  let depth = 0;

  const peek = (ahead = 0): Token => tokens[position + ahead] ?? end;
  const fail = (message: string, at = peek().at): DomainError => errorAt(source, at, message);
  const expected = (what: string): DomainError =>
    fail(
      peek() === end
        ? `the statement ends where ${what} was expected`
        : `${what} was expected here, and nothing else is understood`,
    );
  const isWord = (word: string, ahead = 0): boolean =>
    peek(ahead).kind === "word" && peek(ahead).value.toUpperCase() === word;
  const isSymbol = (symbol: string, ahead = 0): boolean =>
    peek(ahead).kind === "symbol" && peek(ahead).value === symbol;

  const next = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const taken = (is: boolean): boolean => {
    if (is) position += 1;
    return is;
  };

  return {
    peek,
    next,
    fail,
    expected,
    isWord,
    isSymbol,
    /** Whether the keyword stands here; then it is read. */
    word: (word: string): boolean => taken(isWord(word)),
    /** Whether the symbol stands here; then it is read. */
    symbol: (symbol: string): boolean => taken(isSymbol(symbol)),
    /** Reads a keyword. @throws DomainError `invalid_request` when something else stands here */
    needWord(word: string): void {
      if (!taken(isWord(word))) throw expected(word);
    },
    /** Reads a symbol. @throws DomainError `invalid_request` when something else stands here */
    needSymbol(symbol: string): void {
      if (!taken(isSymbol(symbol))) throw expected(`"${symbol}"`);
    },
    /** What the parameter that stands here stands for. @throws DomainError `invalid_request` when there is none */
    parameter(): Value {
      const { at } = next();
      const index = parametersRead;
      parametersRead += 1;
      if (index >= parameters.length)
        throw fail(`there is no value for this parameter, number ${index + 1}`, at);
      return { value: parameters[index], at };
    },
    /** Reads something one level deeper. @throws DomainError `invalid_request` where that is too deep */
    nested<T>(read: () => T): T {
      if (depth >= MOST_NESTING) throw fail(`the statement is nested deeper than ${MOST_NESTING}`);
      depth += 1;
      const value = read();
      depth -= 1;
      return value;
    },
    /** Says that the statement must end here. @throws DomainError `invalid_request` */
    close(otherwise: string): void {
      if (isSymbol(";")) throw fail("one statement is taken, without a semicolon");
      if (peek() !== end) throw expected(otherwise);
      if (parametersRead === parameters.length) return;
      const message = `the statement has ${parametersRead} and ${parameters.length} are given`;
      throw invalid({ path: "parameters", message });
    },
  };
};

export type TokenReader = ReturnType<typeof openTokenReader>;
