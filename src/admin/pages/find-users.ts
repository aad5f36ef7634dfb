import { modifyUserPath } from '../../people/pages/admin-paths.ts'
import { api } from '../../ui/data/api.ts'
import { type SearchSource, split } from '../../ui/search/hits.ts'
import type { ListedUser } from '../contract.ts'

const listCall = '/api/v1/admin/users'
const most = 10
/** The list takes no longer ones. */
const longest = 100

/** Searches users by name and email; those with the text as it is come before those with its letters in order. */
export const usersSource: SearchSource = {
  title: 'Users',
  async find(text, signal) {
    if (text.length > longest) return []
    const by = async (column: 'name' | 'email') => {
      const params = { page: 1, size: most, [`filter[${column}]`]: text }
      return (await api.get<{ rows: ListedUser[] }>(listCall, { params, signal })).rows
    }
    const rows = (await Promise.all([by('name'), by('email')])).flat()
    const users = [...new Map(rows.map((user) => [user.id, user])).values()]
    const isMeant = ({ name, email }: ListedUser) => Boolean(split(name, text) ?? split(email, text))
    return users
      .toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)))
      .slice(0, most)
      .map(({ id, name, email }) => ({ key: id, label: name, detail: email, to: modifyUserPath, search: { email } }))
  },
}
