/** Reads the tokens of a statement and the values of its parameters. */
import { type DomainError, invalidRequest } from "../domain/domainError.ts";
import { errorAt, type Value } from "./ast.ts";
import { type Token, tokenize } from "./tokens.ts";

/** Limits the recursion of the parser. */
const MAX_NESTING = 20;

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
    fail(peek() === end ? `the statement ends where ${what} was expected` : `${what} was expected here`);
  const isWord = (word: string, ahead = 0): boolean =>
    peek(ahead).kind === "word" && peek(ahead).value.toUpperCase() === word;
  const isSymbol = (symbol: string, ahead = 0): boolean =>
    peek(ahead).kind === "symbol" && peek(ahead).value === symbol;

  const next = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const skipIf = (matches: boolean): boolean => {
    if (matches) position += 1;
    return matches;
  };

  return {
    peek,
    next,
    fail,
    expected,
    isWord,
    isSymbol,
    /** Reads a keyword if it is next. @returns whether it was read */
    word: (word: string): boolean => skipIf(isWord(word)),
    /** Reads a symbol if it is next. @returns whether it was read */
    symbol: (symbol: string): boolean => skipIf(isSymbol(symbol)),
    /** Reads a keyword. @throws DomainError `invalid_request` if it is not next */
    requireWord(word: string): void {
      if (!skipIf(isWord(word))) throw expected(word);
    },
    /** Reads a symbol. @throws DomainError `invalid_request` if it is not next */
    requireSymbol(symbol: string): void {
      if (!skipIf(isSymbol(symbol))) throw expected(`"${symbol}"`);
    },
    /** Reads a parameter. @returns its value @throws DomainError `invalid_request` if no value is given */
    parameter(): Value {
      const { at } = next();
      const index = parametersRead;
      parametersRead += 1;
      if (index >= parameters.length)
        throw fail(`there is no value for this parameter, number ${index + 1}`, at);
      return { value: parameters[index], at };
    },
    /** Reads one nesting level deeper. @throws DomainError `invalid_request` if that is too deep */
    nested<T>(read: () => T): T {
      if (depth >= MAX_NESTING) throw fail(`the statement is nested deeper than ${MAX_NESTING}`);
      depth += 1;
      const value = read();
      depth -= 1;
      return value;
    },
    /**
     * Checks that the statement ends here and all parameters were used.
     * @param alternatives what else could follow, for the message
     * @throws DomainError `invalid_request`
     */
    close(alternatives: string): void {
      if (isSymbol(";")) throw fail("send one statement, without a semicolon");
      if (peek() !== end) throw expected(alternatives);
      if (parametersRead === parameters.length) return;
      const message = `must have one entry per parameter of the statement: ${parametersRead}, not ${parameters.length}`;
      throw invalidRequest({ path: "parameters", message });
    },
  };
};

export type TokenReader = ReturnType<typeof openTokenReader>;
