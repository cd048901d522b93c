/** Request and response types, derived from the OpenAPI document. */
import type { paths } from "./openapi.ts";

export type Method = "get" | "post" | "delete";

type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** The paths with a given method. */
export type PathsOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Json<T> = T extends { content: { "application/json": infer J } } ? J : undefined;

/** The JSON body of a request; `undefined` if it has none. */
export type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody: infer B }
    ? Json<B>
    : Operation<P, M> extends { requestBody?: infer B }
      ? Json<Exclude<B, undefined>> | undefined
      : undefined;

export type QueryOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never;

/** The path parameters other than `url_id`. */
export type PathParametersOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { path: infer A } } ? Omit<A, "url_id"> : Record<never, never>;

type Responses<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? R : never;

type BodyOfResponse<T> = T extends { content: infer C }
  ? C extends { "application/json": infer J }
    ? J
    : [C] extends [undefined]
      ? undefined
      : Blob
  : undefined;

/** The result of a successful call: JSON, a `Blob`, or `undefined`. */
export type ResultOf<P extends keyof paths, M extends Method> = {
  [S in keyof Responses<P, M> & (200 | 201 | 202 | 204)]: BodyOfResponse<Responses<P, M>[S]>;
}[keyof Responses<P, M> & (200 | 201 | 202 | 204)];

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

type HeadersOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { header?: infer H } } ? Exclude<H, undefined> : never;

/** The POST paths that do not accept an `Idempotency-Key`. */
export type WithoutKey = {
  [P in PathsOf<"post">]: [HeadersOf<P, "post">] extends [never]
    ? P
    : "Idempotency-Key" extends keyof HeadersOf<P, "post">
      ? never
      : P;
}[PathsOf<"post">];

export type { components, paths } from "./openapi.ts";
