import { titleOf } from '../../shared/title.ts'
import { api } from '../../ui/data/api.ts'
import type { SearchSource } from '../../ui/search/hits.ts'
import type { Found } from '../search/contract.ts'

/** Searches the entries of these tools. */
export const entriesSource = (tools: readonly { id: string; label: string }[]): SearchSource => ({
  title: 'Entries',
  async find(text, signal) {
    const { rows } = (await api.get<{ rows: Found[] }>('/api/v1/search', { params: { text }, signal })).data
    return rows.map(({ id, tool, name, about, status }) => {
      const label = tools.find((one) => one.id === tool)?.label ?? tool
      const details = [...(name === null ? [] : [about]), label, ...(status ? [] : ['Inactive'])]
      return {
        key: id,
        label: titleOf({ id, name, about }),
        detail: details.filter((detail) => detail !== '').join(' · '),
        to: `/tools/${tool}/modify`,
        search: { id },
      }
    })
  },
})
