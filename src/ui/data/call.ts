import {
  type Query,
  queryOptions,
  type UseInfiniteQueryResult,
  type UseMutationOptions,
  useMutation,
} from '@tanstack/react-query'
import type * as z from 'zod/mini'
import type { Calls } from '../../shared/calls.ts'
import { type Options, type Params, request } from './api.ts'
import { queryClient } from './query.ts'

type Key = keyof Calls & string
type Schema<K extends Key, Part extends string> = Calls[K] extends Record<Part, infer Found> ? Found : undefined
type BodyInput<Found> = Found extends z.ZodMiniType ? z.input<Found> : unknown
/** A URL turns every value into text, so both input and parsed types are allowed. */
type UrlInput<Found> = Found extends z.ZodMiniType
  ? { [Name in keyof z.input<Found>]: z.input<Found>[Name] | z.output<Found>[Name & keyof z.output<Found>] }
  : unknown
type ToolParam<K extends Key> = K extends `${string}/:tool${string}` ? { tool: string } : unknown
type InputFields<K extends Key> = ToolParam<K> &
  UrlInput<Schema<K, 'params'>> &
  UrlInput<Schema<K, 'query'>> &
  BodyInput<Schema<K, 'body'>>
/** A call's input: the fields of its path, query and body. */
// biome-ignore lint/suspicious/noConfusingVoidType: TanStack Query asks for no variables if they are void.
export type Input<K extends Key> = unknown extends InputFields<K> ? void : InputFields<K>
export type Answer<K extends Key> = Schema<K, 'answer'> extends z.ZodMiniType ? z.output<Schema<K, 'answer'>> : never
type Inputs<K extends Key> = [input: Input<K>] | (Partial<Record<string, never>> extends InputFields<K> ? [] : never)

export function call<K extends Key>(key: K, input: Input<K>, options?: Options): Promise<Answer<K>> {
  const [method = '', path = '', query] = key.split(/[ ?]/)
  const rest: Params = Object.assign({}, input)
  const url = path.replace(/:(\w+)/g, (_all, name) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  const isAddressed = method === 'GET' || method === 'DELETE' || query !== undefined
  const sent = isAddressed ? { params: rest } : { body: input === undefined ? undefined : rest }
  return request<Answer<K>>({ ...options, method, url, ...sent })
}

/** The query options for a call's response. */
export const callQuery = <K extends Key>(key: K, ...[input]: Inputs<K>) =>
  queryOptions({ queryKey: [key, input], queryFn: () => call(key, input as Input<K>) })

/** A call that changes something, as a mutation. */
export const useCall = <K extends Key>(key: K, options?: UseMutationOptions<Answer<K>, Error, Input<K>>) =>
  useMutation({ ...options, mutationFn: (input: Input<K>) => call(key, input) })

/** Runs `then` on success, even if a live update has unmounted the component first. The mutation reports failures. */
export const whenDone = <T>(act: Promise<T>, then: (answer: T) => void): Promise<void> => act.then(then, () => {})

/** Reloads these queries, or all queries of these calls. */
export const reload = (...queries: (Key | { queryKey: readonly unknown[] })[]) =>
  Promise.all(
    queries
      .map((query) => (typeof query === 'string' ? { queryKey: [query] } : query))
      .flatMap(({ queryKey }) => queryClient.getQueryCache().findAll({ queryKey }).map(reloadOne)),
  )

async function reloadOne(query: Query) {
  const { queryKey, state } = query
  const invalidate = () => queryClient.invalidateQueries({ queryKey, exact: true })
  if (state.data === undefined && state.fetchStatus === 'fetching') {
    // A pending first response may predate the change, and invalidating now would only wait for it.
    const late = Promise.allSettled([query.promise]).then(invalidate)
    if (query.isActive()) await late
    return
  }
  // Invalidating replaces only an active query's pending response, which may predate the change, too.
  if (!query.isActive()) void query.cancel({ revert: true })
  await invalidate()
}

export type PagedQuery = Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'isRefetching' | 'refetch'
>

/** Loads the next page. Waits for a refresh in progress, which it would cancel; does nothing if that refresh fails. */
export async function loadOlder({
  isRefetching,
  refetch,
  fetchNextPage,
}: Pick<PagedQuery, 'isRefetching' | 'refetch' | 'fetchNextPage'>) {
  const { isError } = isRefetching ? await refetch({ cancelRefetch: false }) : { isError: false }
  if (!isError) await fetchNextPage()
}

/** Options for a list whose call returns pages of rows older than an instant: selects all loaded rows, newest first. */
export const olderPages = <Row>(size: number, instantOf: (row: Row) => number) => ({
  initialPageParam: {} as { before?: number },
  getNextPageParam: (page: Row[]) => {
    const oldest = page.at(-1)
    return oldest && page.length >= size ? { before: instantOf(oldest) } : undefined
  },
  select: ({ pages }: { pages: Row[][] }) => pages.flat(),
})
