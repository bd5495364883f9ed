#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a software bill of materials against what SPDX 2.3 and CycloneDX 1.5 require, and prints what it says."""

import json
import re
import sys

UUID = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
PURPOSES = {"APPLICATION", "FRAMEWORK", "LIBRARY", "CONTAINER", "OPERATING-SYSTEM", "DEVICE", "FIRMWARE", "SOURCE",
            "ARCHIVE", "FILE", "INSTALL", "OTHER"}  # fmt: skip
RELATIONS = {"DESCRIBES", "CONTAINS", "GENERATED_FROM", "BUILD_TOOL_OF"}
TYPES = {"application", "framework", "library", "container", "platform", "operating-system", "device",
         "device-driver", "firmware", "file", "machine-learning-model", "data"}  # fmt: skip


def need(condition, what):
    if not condition:
        sys.exit(f"not valid: {what}")


def members(thing, required, allowed, what):
    need(set(required) <= set(thing), f"{what} lacks {set(required) - set(thing)}")
    need(set(thing) <= set(required) | set(allowed), f"{what} has {set(thing) - set(required) - set(allowed)}")


def unique(names, what):
    need(len(names) == len(set(names)), f"{what} are not unique")


def check_sha256(text):
    need(re.fullmatch("[0-9a-f]{64}", text), f"digest {text}")


def check_package(package):
    members(package, ["SPDXID", "name", "downloadLocation"],
            ["filesAnalyzed", "primaryPackagePurpose", "checksums", "packageFileName", "versionInfo", "licenseDeclared",
             "comment", "supplier"], package.get("name"))  # fmt: skip
    need(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), package["SPDXID"])
    need(package["downloadLocation"] == "NOASSERTION", "downloadLocation")
    need(package["filesAnalyzed"] is False, "filesAnalyzed needs a packageVerificationCode")
    need(package["primaryPackagePurpose"] in PURPOSES, package["primaryPackagePurpose"])
    need(re.match(r"(Organization|Person): .|NOASSERTION", package.get("supplier", "NOASSERTION")), "supplier")
    for checksum in package.get("checksums", []):
        members(checksum, ["algorithm", "checksumValue"], [], "checksum")
        need(checksum["algorithm"] == "SHA256", checksum["algorithm"])
        check_sha256(checksum["checksumValue"])


def check_spdx(document):
    members(document, ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"],
            ["packages", "relationships", "hasExtractedLicensingInfos"], "the document")  # fmt: skip
    need(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "version or data licence")
    need(document["SPDXID"] == "SPDXRef-DOCUMENT", "the document's id")
    need(re.fullmatch(UUID, document["documentNamespace"]), document["documentNamespace"])
    members(document["creationInfo"], ["created", "creators"], [], "creationInfo")
    need(re.fullmatch(TIME, document["creationInfo"]["created"]), "created")
    need(all(re.match(r"(Tool|Organization|Person): .", creator) for creator in document["creationInfo"]["creators"]),
         "creators")  # fmt: skip
    for package in document["packages"]:
        check_package(package)
    names = {package["SPDXID"]: package["name"] for package in document["packages"]}
    unique([package["SPDXID"] for package in document["packages"]], "ids")
    names[document["SPDXID"]] = "the document"
    for relation in document["relationships"]:
        members(relation, ["spdxElementId", "relationshipType", "relatedSpdxElement"], ["comment"], "relation")
        need(relation["relationshipType"] in RELATIONS, relation["relationshipType"])
        need(relation["spdxElementId"] in names and relation["relatedSpdxElement"] in names, "relation to nothing")
    licenses = {text["licenseId"] for text in document.get("hasExtractedLicensingInfos", [])}
    for package in document["packages"]:
        declared = re.findall(r"LicenseRef-[A-Za-z0-9.-]+", package.get("licenseDeclared", ""))
        need(set(declared) <= licenses, f"licences {declared}")
    return names


def show_spdx(document):
    names = check_spdx(document)
    for package in document["packages"]:
        words = [package["primaryPackagePurpose"], package["name"], package.get("versionInfo"),
                 package.get("licenseDeclared"), package.get("comment")]  # fmt: skip
        print(*[word for word in words if word])
    for relation in document["relationships"]:
        print(names[relation["spdxElementId"]], relation["relationshipType"], names[relation["relatedSpdxElement"]])


def check_component(component):
    members(component, ["type", "name"], ["bom-ref", "version", "hashes", "licenses", "properties", "scope", "supplier"],
            component.get("name"))  # fmt: skip
    need(component["type"] in TYPES, component["type"])
    need(component.get("scope", "required") in {"required", "optional", "excluded"}, "scope")
    for digest in component.get("hashes", []):
        members(digest, ["alg", "content"], [], "hash")
        need(digest["alg"] == "SHA-256", digest["alg"])
        check_sha256(digest["content"])
    for license in component.get("licenses", []):
        members(license, ["expression"], [], "licence")
    for item in component.get("properties", []):
        members(item, ["name", "value"], [], "property")
        need(isinstance(item["value"], str), "a property's value")


def check_cyclonedx(document):
    members(document, ["bomFormat", "specVersion"], ["serialNumber", "version", "metadata", "components", "dependencies"],
            "the document")  # fmt: skip
    need(document["bomFormat"] == "CycloneDX" and document["specVersion"] == "1.5", "form or version")
    need(re.fullmatch(UUID, document["serialNumber"]) and document["version"] == 1, "serial number")
    members(document["metadata"], [], ["timestamp", "tools", "component"], "metadata")
    need(re.fullmatch(TIME, document["metadata"]["timestamp"]), "timestamp")
    for tool in document["metadata"]["tools"]["components"]:
        check_component(tool)
    everything = [document["metadata"]["component"], *document["components"]]
    for component in everything:
        check_component(component)
    names = {component["bom-ref"]: component["name"] for component in everything}
    unique([component["bom-ref"] for component in everything], "references")
    unique([dependency["ref"] for dependency in document["dependencies"]], "dependencies")
    for dependency in document["dependencies"]:
        members(dependency, ["ref"], ["dependsOn"], "dependency")
        need({dependency["ref"], *dependency["dependsOn"]} <= set(names), "dependency on nothing")
        unique(dependency["dependsOn"], "dependencies")
    return names, everything


def show_cyclonedx(document):
    names, everything = check_cyclonedx(document)
    for component in everything:
        licenses = [license["expression"] for license in component.get("licenses", [])]
        items = [f"{item['name']}={item['value']}" for item in component.get("properties", [])]
        print(component["type"], component["name"], *[component.get("version", "")], *licenses, *items)
    for dependency in document["dependencies"]:
        print(names[dependency["ref"]], "<-", *[names[ref] for ref in dependency["dependsOn"]])


if __name__ == "__main__":
    document = json.load(sys.stdin)
    (show_cyclonedx if "bomFormat" in document else show_spdx)(document)
