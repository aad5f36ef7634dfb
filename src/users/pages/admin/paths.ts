export const listPath = '/admin/users'
export const modifyUserPath = '/admin/user/modify'
export const createUserPath = '/admin/user/create'
