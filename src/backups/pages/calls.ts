import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../ui/data/api.ts'
import { succeed } from '../../ui/toasts.ts'
import type { Backup, BackupStatus } from '../contract.ts'

const path = '/api/v1/admin/backups'
const key = ['backups']

export const backupsQuery = queryOptions({
  queryKey: [...key, 'list'],
  queryFn: async () => (await api.get<Backup[]>(path)).data,
})

export const statusQuery = queryOptions({
  queryKey: [...key, 'status'],
  queryFn: async () => (await api.get<BackupStatus>(`${path}/status`)).data,
})

export function useBackUp() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => (await api.post<Backup>(path)).data,
    onSuccess: () => succeed('Backed up the database.'),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
}

/** Asks for a proof first: what a browser downloads by itself can't. */
export function useDownload() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (name: string) => {
      await api.get(`${path}/${name}`, { params: { check: true } })
      return `${path}/${name}`
    },
    onSuccess: (address) => location.assign(address),
    onError: () => client.invalidateQueries({ queryKey: key }),
  })
}
