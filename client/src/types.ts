/** Request and response types, derived from the OpenAPI document. */
import type { paths } from "./openapi.ts";

export type Method = "get" | "post" | "delete";

/** A part of an operation, such as its body. */
type Part<P extends keyof paths, M extends Method, N extends string> =
  paths[P] extends Record<M, Record<N, infer T>> ? T : never;

/** The paths with a given method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: M extends keyof paths[P] ? P : never;
}[keyof paths];

/** The JSON body of a request; `undefined` if it has none. */
export type BodyOf<P extends keyof paths, M extends Method> = Part<P, M, "body">;

/** The query parameters; `never` if there are none. */
export type QueryOf<P extends keyof paths, M extends Method> = keyof Part<P, M, "query"> extends never
  ? never
  : Part<P, M, "query">;

/** The path parameters other than `url_id`. */
export type PathParametersOf<P extends keyof paths, M extends Method> = Omit<Part<P, M, "path">, "url_id">;

/** The result of a successful call: JSON, a `Blob`, or `undefined`. */
export type ResultOf<P extends keyof paths, M extends Method> = Part<P, M, "result">;

/** The paths with a method whose result may be of a type. */
type Returning<T, M extends Method> = {
  [P in PathsOf<M>]: Extract<ResultOf<P, M>, T> extends never ? never : P;
}[PathsOf<M>];

/** The paths whose result is not JSON. */
export type OtherThanJson = Returning<Blob, "get"> | Returning<Blob, "post">;
/** The paths that may succeed with 204. */
export type MaybeEmpty =
  | Returning<undefined, "get">
  | Returning<undefined, "post">
  | Returning<undefined, "delete">;

/**
 * The type `G` of a given body, with `never` for the keys that the schema `T` does not have, so that they do not compile:
 * the service answers them with 400. Arrays are not changed.
 */
export type Exact<T, G> = T extends readonly unknown[]
  ? G
  : T extends object
    ? { [K in keyof G]: K extends keyof T ? Exact<Exclude<T[K], undefined>, G[K]> : never }
    : G;

/** The POST paths that do not accept an `Idempotency-Key`. */
export type WithoutKey = {
  [P in PathsOf<"post">]: "Idempotency-Key" extends keyof Part<P, "post", "headers"> ? never : P;
}[PathsOf<"post">];

export type { components, paths } from "./openapi.ts";
