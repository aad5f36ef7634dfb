import { infiniteQueryOptions } from '@tanstack/react-query'
import { mostIncidents } from '../../../shared/incidents.ts'
import { api } from '../../../ui/data/api.ts'
import type { Incident } from '../../contract.ts'
import type { PageNames } from '../tool-pages.ts'

type Older = { before?: number }
const newest: Older = {}

/** As far as they were asked for, the newest first. */
const pagesOf = (which: { open: true } | { id: string }) => ({
  queryFn: async ({ pageParam }: { pageParam: Older }) =>
    (await api.get<Incident[]>('/api/v1/incidents', { params: { ...which, ...pageParam } })).data,
  initialPageParam: newest,
  getNextPageParam: (page: Incident[]) => {
    const last = page.at(-1)
    return last && page.length >= mostIncidents ? { before: last.openedAt } : undefined
  },
  select: ({ pages }: { pages: Incident[][] }) => pages.flat(),
})

/** The incidents that go on, of the entries that the user may see; the newest first. */
export const openIncidentsQuery = (tools: readonly PageNames[]) =>
  infiniteQueryOptions({
    queryKey: ['incidents', 'open'],
    ...pagesOf({ open: true }),
    meta: { quiet: true, about: { topic: tools.map(({ id }) => id), outlastsRuns: true } },
  })

/** The incidents of an entry, the newest first. */
export const incidentsQuery = (tool: PageNames, id: string) =>
  infiniteQueryOptions({
    queryKey: ['incidents', id],
    ...pagesOf({ id }),
    meta: { quiet: true, about: { topic: tool.id, id, outlastsRuns: true } },
  })
