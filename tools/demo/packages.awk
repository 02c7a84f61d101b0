# Debian's package index (apt-cache dumpavail) as INSERT statements: a record a
# package, its first lines only (what goes on is left out of a description).
function quote(text) { gsub(/'/, "''", text); return "'" text "'" }
function field(name, column) { if (name in value) { names = names ", " column; values = values ", " quote(value[name]) } }
function finish(	parts, n, i, list) {
	if (!("Package" in value) || !("Version" in value)) { delete value; return }
	section = "Section" in value ? value["Section"] : "unknown"
	names = "section, package, version"
	values = quote(section) ", " quote(value["Package"]) ", " quote(value["Version"])
	field("Architecture", "architecture"); field("Maintainer", "maintainer"); field("Priority", "priority")
	field("Source", "source"); field("Depends", "depends"); field("Homepage", "homepage"); field("Filename", "filename")
	field("SHA256", "sha256"); field("Description", "description")
	if (value["Size"] ~ /^[0-9]+$/) { names = names ", size"; values = values ", " value["Size"] }
	if (value["Installed-Size"] ~ /^[0-9]+$/) { names = names ", installed_size"; values = values ", " value["Installed-Size"] }
	print "INSERT INTO packages_by_section (" names ") VALUES (" values ");"
	delete value
}
/^$/ { finish(); next }
/^[A-Za-z0-9-]+: / { at = index($0, ": "); value[substr($0, 1, at - 1)] = substr($0, at + 2) }
END { finish() }
