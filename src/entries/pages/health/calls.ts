import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import type { Incident } from '../../contract.ts'
import type { PageNames } from '../tool-pages.ts'

/** The incidents that go on, of the entries that the user may see; the newest first. */
export const openIncidentsQuery = (tools: readonly PageNames[]) =>
  queryOptions({
    queryKey: ['incidents', 'open'],
    queryFn: async () => (await api.get<Incident[]>('/api/v1/incidents', { params: { open: true } })).data,
    meta: { quiet: true, about: { topic: tools.map(({ id }) => id), outlastsRuns: true } },
  })

/** The incidents of an entry, the newest first. */
export const incidentsQuery = (tool: PageNames, id: string) =>
  queryOptions({
    queryKey: ['incidents', id],
    queryFn: async () => (await api.get<Incident[]>('/api/v1/incidents', { params: { id } })).data,
    meta: { quiet: true, about: { topic: tool.id, id, outlastsRuns: true } },
  })
