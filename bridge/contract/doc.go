// Package contract knows NetBox's release lines: which are supported, and how a version names one.
package contract
