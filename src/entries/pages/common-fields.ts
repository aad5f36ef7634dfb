import type { Fields } from '../../ui/form/fields.ts'
import type { Common } from './tool-pages.ts'

export const commonFields: Fields<Common> = {
  name: { label: 'Name', blank: '' },
  notifyAfter: { label: 'Notify after', blank: 2, show: (count) => (count === 1 ? '1 failure' : `${count} failures`) },
  owner: { label: 'Owner', blank: '' },
  status: { label: 'Active', blank: true },
}

/** All fields of a tool's form; the tool's own follow the name. */
export const withCommonFields = <Settings extends object>(fields: Fields<Settings>) => {
  const { name, ...below } = commonFields
  return { name, ...fields, ...below } as Fields<Settings & Common>
}
